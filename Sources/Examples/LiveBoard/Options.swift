/// The options of the command line.
struct Options {
  enum Mode {
    case serve
    case load(clients: Int)
    case churn(cycles: Int)
    case help
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

  /// Returns nil if the arguments are invalid.
  init?(_ arguments: some Sequence<String>) {
    var rest = Array(arguments)[...]
    while let name = rest.popFirst() {
      if name == "--help" {
        mode = .help
        continue
      }
      guard let number = rest.popFirst().flatMap(Int.init), number >= 0 else { return nil }
      switch name {
      case "--port":
        guard let port = UInt16(exactly: number) else { return nil }
        self.port = port
      case "--seconds": seconds = number
      case "--clients": clients = number
      case "--load": mode = .load(clients: number)
      case "--churn": mode = .churn(cycles: number)
      default: return nil
      }
    }
  }
}
