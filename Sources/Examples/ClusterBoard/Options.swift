/// The options of the command line.
struct Options {
  enum Mode {
    case board
    case member(String)
    case help
  }

  /// The store that the processes share.
  enum Store: Equatable {
    /// A temporary folder, which is removed at the end.
    case temporaryFolder
    case folder(String)
    /// A cluster of etcd that runs already: the URLs of its members.
    case etcd([String])
    /// A number of members of etcd, which ClusterBoard starts and ends.
    case ownEtcd(Int)
  }

  /// What is wrong with the command line.
  struct Problem: Error {
    let message: String
  }

  var mode = Mode.board
  var port: UInt16 = 8081
  var store = Store.temporaryFolder

  static let usage = """
    ClusterBoard [options]   three processes share a cell; serves a page that shows them on http://127.0.0.1:8081

    --port N        the port (default 8081; 0 chooses a free port)

    Where the value is, one of these:
    --folder PATH   a folder that stays; by default a temporary one, which is removed at the end
    --store URL     a cluster of etcd, such as http://127.0.0.1:2379; for several members, URLs with commas between
    --etcd N        N members of etcd (1, 3 or 5), which ClusterBoard starts and ends; for this, etcd must be installed
    """

  static func parsed(_ arguments: some Sequence<String>) -> Result<Options, Problem> {
    var options = Options()
    var rest = arguments.flatMap { $0.split(separator: "=", maxSplits: 1).map(String.init) }[...]
    while let name = rest.popFirst() {
      if name == "--help" || name == "-h" {
        options.mode = .help
        return .success(options)
      }
      guard ["--port", "--folder", "--store", "--etcd", "--member"].contains(name) else {
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
    case "--member": mode = .member(value)
    default:
      guard store == .temporaryFolder else {
        return Problem(message: "there is one store: choose one of --folder, --store and --etcd")
      }
      switch name {
      case "--folder": store = .folder(value)
      case "--store": store = .etcd(value.split(separator: ",").map(String.init))
      default:
        guard let count = Int(value), [1, 3, 5].contains(count) else {
          return Problem(message: "'\(value)' is no number of members: 1, 3 or 5")
        }
        store = .ownEtcd(count)
      }
    }
    return nil
  }
}
