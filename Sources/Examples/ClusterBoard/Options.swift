/// The options of the command line.
struct Options {
  enum Mode {
    case board
    case member(String)
    case help
  }

  /// What is wrong with the command line.
  struct Problem: Error {
    let message: String
  }

  var mode = Mode.board
  var port: UInt16 = 8081
  /// The folder of the store; nil to make a temporary one.
  var folder: String?

  static let usage = """
    ClusterBoard [--port N] [--folder PATH]   three processes share a cell over a folder; serves http://127.0.0.1:N

    --port N        the port (default 8081; 0 chooses a free port)
    --folder PATH   a folder that stays; by default a temporary one, which is removed at the end
    """

  static func parsed(_ arguments: some Sequence<String>) -> Result<Options, Problem> {
    var options = Options()
    var rest = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }[...]
    while let name = rest.popFirst() {
      if name == "--help" || name == "-h" {
        options.mode = .help
        return .success(options)
      }
      guard ["--port", "--folder", "--member"].contains(name) else {
        return .failure(Problem(message: "there is no option '\(name)'"))
      }
      guard let value = rest.popFirst() else { return .failure(Problem(message: "\(name) needs a value")) }
      if let problem = options.set(name, to: value) { return .failure(problem) }
    }
    return .success(options)
  }

  private mutating func set(_ name: String, to value: String) -> Problem? {
    switch name {
    case "--port":
      guard let port = UInt16(value) else { return Problem(message: "'\(value)' is no port: 0 to 65535") }
      self.port = port
    case "--folder": folder = value
    default: mode = .member(value)
    }
    return nil
  }
}
