/// The options of the command line.
package struct Options: Sendable, Equatable {
  package enum Mode: Sendable, Equatable {
    case serve
    case load(clients: Int)
    case churn(cycles: Int)
    case help
  }

  /// What is wrong with the command line.
  package struct Problem: Error, Equatable {
    package let message: String

    package init(message: String) {
      self.message = message
    }
  }

  package var mode = Mode.serve
  package var port: UInt16 = 8080
  package var seconds = 20
  package var clients = 100
  /// Whether each loop is recorded, so that the page of cells shows how far it is behind.
  package var records = false

  package init() {}

  package static let usage = """
    LiveBoard [--port N]                                 serves http://127.0.0.1:N (default 8080; 0 chooses a free port)
    LiveBoard --record                                   also records each loop: /cells shows how far it is behind
    LiveBoard --load CLIENTS [--port N] [--seconds S]    opens this number of connections to it, for S seconds
    LiveBoard --churn CYCLES [--clients N] [--port N]    connects N clients and disconnects them, CYCLES times
    LiveBoard --help                                     prints this text; so does -h
    """

  package static func parsed(_ arguments: some Sequence<String>) -> Result<Options, Problem> {
    var options = Options()
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      // `--port=8080` is the same as `--port 8080`.
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init
      )
      let name = parts[0]
      if argument == "--help" || argument == "-h" {
        options.mode = .help
        return .success(options)
      }
      if argument == "--record" {
        options.records = true
        continue
      }
      guard ["--port", "--seconds", "--clients", "--load", "--churn"].contains(name) else {
        return .failure(Problem(message: "there is no option '\(argument)'"))
      }
      guard let text = parts.count > 1 ? parts[1] : rest.popFirst(), !text.isEmpty else {
        return .failure(Problem(message: "\(name) needs a number"))
      }
      guard let number = Int(text), number >= 0 else {
        return .failure(Problem(message: "\(name) needs a number of 0 or more, not '\(text)'"))
      }
      if let problem = options.set(name, to: number) { return .failure(problem) }
    }
    return .success(options)
  }

  private mutating func set(_ name: String, to number: Int) -> Problem? {
    switch name {
    case "--port":
      guard let port = UInt16(exactly: number) else {
        return Problem(message: "\(number) is no port: 0 to 65535")
      }
      self.port = port
    case "--seconds": seconds = number
    case "--clients": clients = number
    default:
      guard mode == .serve else { return Problem(message: "only one of --load and --churn is possible") }
      mode = name == "--load" ? .load(clients: number) : .churn(cycles: number)
    }
    return nil
  }
}
