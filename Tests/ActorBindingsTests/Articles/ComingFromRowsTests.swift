import Foundation
import Testing

/// Checks that what the tables of the articles *Coming from* say to write here is compiled, and run, by the suites in
/// `files`.
@Suite
struct ComingFromRowsTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  private static let articles =
    folder.appending(path: "../../../Sources/ActorBindings/ActorBindings.docc").standardizedFileURL

  private static let files = [
    "ComingFromIdioms", "ComingFromIdiomsOfBindings", "ComingFromCompositionsExamples", "ObservableProfile",
  ]

  @Test
  func `the code of each row is compiled`() throws {
    let rows = try ComingFromRow.all(in: Self.articles)
    let sources = try Self.files.map {
      try String(contentsOf: Self.folder.appending(path: "\($0).swift"), encoding: .utf8)
    }
    let compiled = CompiledCode(sources.joined(separator: "\n"))
    #expect(rows.count > 500)
    #expect(Set(rows.map(\.article)).count == 6)
    var (found, missing): (Set<String>, Set<String>) = ([], [])
    for row in rows {
      for idiom in row.idioms where !found.contains(idiom) && !missing.contains(idiom) {
        if compiled.contains(idiom) {
          found.insert(idiom)
        } else {
          missing.insert(idiom)
          Issue.record("\(row.article): what to write for \(row.there) is not compiled: \(idiom)")
        }
      }
    }
    #expect(found.count > 150)
  }

  @Test
  func `code that is not there is not found`() {
    let code = CompiledCode(
      """
      // map is a comment
      let a = b.sample(every: .seconds(1), clock: clock).first { $0 == "filter" }
      values(backlog: .unbounded); cell.follow(Observations { model.name })
      """
    )
    let present = [
      "sample(every:)", "sample(every:clock:)", "sample(clock:)", "Type/sample(every:)", "await first",
      "first",
      "values(backlog: .unbounded)", ".unbounded", "values(backlog:)", "cell.follow(Observations { … })",
      "b.sample",
    ]
    let absent = [
      "map", "filter", "sample(clock:every:)", "sample(every:on:)", "sample(_:)", "first()", "values()",
      "values(backlog: .latest)", "fir", "seconds(n)", "scan", "debounce(for:clock:)", "b.first",
    ]
    for idiom in present { #expect(code.contains(idiom), "\(idiom)") }
    for idiom in absent { #expect(!code.contains(idiom), "\(idiom)") }
  }
}
