import ActorBindings
import Testing

/// Tests every way to derive a source, in every form in which it can be read, with every backlog, to every end.
///
/// The rows are generated: a new case of `Origin`, `Derivation` or `ReadingForm` is tested in all combinations. The
/// suite `MatrixCoverageTests` fails if a public declaration that makes or reads a source has no case.
@Suite
struct MatrixTests {
  private static let readings = ReadingForm.allCases.flatMap { form in
    Backlog.tried.flatMap { backlog in Ending.allCases.map { (form, backlog, ending: $0) } }
  }

  @Test(arguments: zip(MatrixRow.single, MatrixRow.single.indices))
  func `each form and backlog of a row receives the last value and then the end`(row: MatrixRow, seed: Int)
    async
  {
    var problems: [String] = []
    for (_, (form, backlog, ending)) in stressed(Self.readings, seed: seed) {
      problems += await Trial(of: row).problems(of: form, backlog, ending)
    }
    record(problems)
  }

  @Test(arguments: Derivation.allCases)
  func `each form of two operators in a row receives the last value and then the end`(outer: Derivation)
    async
  {
    let seed = Derivation.allCases.firstIndex(of: outer) ?? 0
    for (number, row) in stressed(MatrixRow.paired(by: outer), seed: seed) {
      var problems: [String] = []
      for (offset, form) in ReadingForm.allCases.enumerated() {
        let backlog = Backlog.tried[(number + offset) % 3]
        let ending = Ending.allCases[(number / 3 + offset) % 3]
        problems += await Trial(of: row).problems(of: form, backlog, ending)
      }
      record(problems)
    }
  }
}

/// Records an issue for each problem of a row.
func record(_ problems: [String]) {
  for problem in problems { Issue.record(Comment(rawValue: problem)) }
}
