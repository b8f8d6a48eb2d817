import Foundation

/// What became of each change, the last time.
let result = ".build/mutants/result.txt"

/// Tries the changes, and tells which of them no test notices.
@main
enum Mutate {
  static func main() throws {
    do {
      Child.endWithThisProcess()
      let request = try Request(Array(CommandLine.arguments.dropFirst()))
      var schema = try Schema()
      if request.isList {
        schema.mutants.forEach { print($0.name) }
        return print("\(schema.mutants.count) mutants")
      }
      let survivors = try Survivors(path: "Tests/Mutants/Survivors.md")
      if request.isStale { exit(survivors.areCurrent(among: schema.mutants) ? 0 : 1) }
      try Copy.build(&schema)
      let wanted = request.chosen(from: schema.mutants)
      schema.refused.forEach { print("given up: \($0.name)") }
      print("\(schema.mutants.count) mutants, \(schema.refused.count) given up: the compiler refuses them")
      // What runs wild may not take all memory with it.
      var limit = rlimit(rlim_cur: 4 << 30, rlim_max: 4 << 30)
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      let hunt = Hunt(wanted, survivors)
      try hunt.run()
      try hunt.write(to: result, refused: schema.refused)
      let isExplained = hunt.summary(survivors)
      exit(survivors.areCurrent(among: schema.mutants) && isExplained ? 0 : 1)
    } catch let failure as Failure {
      print(failure.description)
      exit(2)
    }
  }
}

/// What the command line asks for.
private struct Request {
  var isList = false
  var isStale = false
  var isAgain = false
  var sample: Int?
  var files: [String] = []

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--list": isList = true
      case "--stale": isStale = true
      case "--again": isAgain = true
      case "--sample":
        guard let count = rest.popFirst().flatMap({ Int($0) }), count > 0 else {
          throw Failure("--sample needs a number")
        }
        sample = count
      case _ where argument.hasPrefix("-"): throw Failure("There is no option \(argument)")
      default: files.append(argument)
      }
    }
  }

  func chosen(from mutants: [Mutant]) -> [Mutant] {
    var meant =
      files.isEmpty ? mutants : mutants.filter { mutant in files.contains { $0.hasSuffix(mutant.file) } }
    if isAgain {
      let survivors = Hunt.survivors(in: result)
      meant = meant.filter { survivors.contains($0.name) }
    }
    guard let sample, sample < meant.count else { return meant }
    // Spread over all files, and each time the same ones.
    return (0..<sample).map { meant[$0 * meant.count / sample] }
  }
}

/// Prints a line at once, into a file too.
func print(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
