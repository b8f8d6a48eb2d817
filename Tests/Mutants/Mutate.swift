import Foundation

/// The file that lists each change and its result.
let result = ".build/mutants/result.txt"

/// Plants changes in a copy of the library, and reports those that no test notices.
@main
enum Mutate {
  static func main() throws {
    do {
      Child.endWithThisProcess()
      let arguments = Array(CommandLine.arguments.dropFirst())
      if arguments.first == "faults" { return try FaultHunt.main(Array(arguments.dropFirst())) }
      try main(Request(arguments))
    } catch let failure as Failure {
      print(failure.description)
      exit(2)
    }
  }

  private static func main(_ request: Request) throws {
    // An explanation may be for a change in any room.
    let all = try Schema(inAllRooms: true)
    var schema = request.task == .explain && request.files.isEmpty ? all : try Schema(only: request.files)
    let survivors = try Survivors(path: "Tests/Mutants/Survivors.md")
    let before = schema.mutants
    switch request.task {
    case .list:
      before.forEach { print("\(schema.place(of: $0)): \($0.name)") }
      return print("\(before.count) mutants")
    case .explain:
      return before.filter { survivors.reasons[$0.name] != nil }.forEach {
        print(
          "\(schema.place(of: $0)): \($0.name): \(survivors.reasons[$0.name] ?? "")\n    \(schema.text(of: $0))"
        )
      }
    case .stale: exit(survivors.areCurrent(among: all.mutants) ? 0 : 1)
    case .hunt: break
    }
    if request.chosen(from: before).isEmpty { return print("0 mutants: none of these lines can be changed") }
    try Copy.mutants.build(&schema)
    let wanted = request.chosen(from: schema.mutants)
    schema.refused.forEach { print("given up: \($0.name)") }
    print(
      "\(wanted.count) of \(schema.mutants.count) mutants, \(schema.refused.count) given up: the compiler refuses them"
    )
    // A mutant that allocates without end must not take all memory.
    var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
    let hunt = Hunt(
      wanted,
      of: schema.mutants.count,
      refused: schema.refused,
      survivors,
      isWhole: request.files.isEmpty || wanted.count <= 50
    )
    try hunt.run()
    let isExplained = hunt.summary(survivors, schema)
    exit(survivors.areCurrent(among: all.mutants) && isExplained ? 0 : 1)
  }
}

/// The options of the command line.
private struct Request {
  enum Task {
    case hunt
    case list
    case stale
    case explain
  }

  var task = Task.hunt
  var isAgain = false
  var sample: Int?
  var files: [String] = []
  // The lines that differ from a commit, by file.
  var changes: [String: [ClosedRange<Int>]]?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--list": task = .list
      case "--stale": task = .stale
      case "--explain": task = .explain
      case "--again": isAgain = true
      case "--since":
        guard let commit = rest.popFirst() else { throw Failure("--since needs a commit") }
        changes = try Changes.lines(since: commit)
      case "--sample":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
          throw Failure("--sample needs a number")
        }
        sample = count
      case _ where argument.hasPrefix("-"): throw Failure("There is no option \(argument)")
      default: files.append(argument)
      }
    }
    if let changes {
      guard files.isEmpty else { throw Failure("--since chooses the files itself: name none") }
      files = changes.keys.filter(Schema.isTested).sorted()
      if files.isEmpty {
        print("0 mutants: no file of the library has changed")
        exit(0)
      }
    }
  }

  func chosen(from mutants: [Mutant]) -> [Mutant] {
    var chosen = mutants
    if let changes {
      chosen = chosen.filter { mutant in
        changes[mutant.file, default: []].contains { $0.contains(mutant.line) }
      }
    }
    if isAgain {
      let survivors = Hunt.survivors(in: result)
      chosen = chosen.filter { survivors.contains($0.name) }
    }
    guard let sample, sample < chosen.count else { return chosen }
    // The sample is spread over all files, and is the same each time.
    return (0..<sample).map { chosen[$0 * chosen.count / sample] }
  }
}

/// Prints a line without a buffer, also if the output goes to a file.
func print(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
