/// The options of the command line.
struct Options {
  enum Mode {
    case serve
    case load(clients: Int)
    case churn(cycles: Int)
    case help
  }

  /// What is wrong with the command line.
  struct Problem: Error {
    let message: String
  }

  var mode = Mode.serve
  var port: UInt16 = 8080
  var seconds = 20
  var clients = 100

  static let usage = """
    LiveBoard [--port N]                                 serves http://127.0.0.1:N (default 8080; 0 chooses a free port)
    LiveBoard --load CLIENTS [--port N] [--seconds S]    follows it with this number of connections
    LiveBoard --churn CYCLES [--clients N] [--port N]    connects and disconnects this number in each cycle
    """

  static func parsed(_ arguments: some Sequence<String>) -> Result<Options, Problem> {
    var options = Options()
    // `--port=8080` is the same as `--port 8080`.
    var rest = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }[...]
    while let name = rest.popFirst() {
      if name == "--help" || name == "-h" {
        options.mode = .help
        continue
      }
      guard ["--port", "--seconds", "--clients", "--load", "--churn"].contains(name) else {
        return .failure(Problem(message: "there is no option '\(name)'"))
      }
      guard let text = rest.popFirst() else { return .failure(Problem(message: "\(name) needs a number")) }
      guard let number = Int(text), number >= 0 else {
        return .failure(Problem(message: "\(name) needs a number of 0 or more, not '\(text)'"))
      }
      switch name {
      case "--port":
        guard let port = UInt16(exactly: number) else {
          return .failure(Problem(message: "\(number) is no port: 0 to 65535"))
        }
        options.port = port
      case "--seconds": options.seconds = number
      case "--clients": options.clients = number
      case "--load": options.mode = .load(clients: number)
      default: options.mode = .churn(cycles: number)
      }
    }
    return .success(options)
  }
}
