import Foundation
import Testing

/// Checks that the matrix has a row for each public declaration that makes a source, and a form for each public
/// declaration that reads a source.
///
/// Names are compared as declared: `Type.name(labels:)`, without the type for members of every source.
@Suite
struct MatrixCoverageTests {
  @Test
  func `each public declaration that makes a source has a row`() throws {
    let declared = try Set(PublicDeclaration.all().filter(\.makesASource).map(\.name))
    let rows = Set((Origin.allCases.map(\.rawValue) + Derivation.allCases.map(\.rawValue)).map(declaration))
    #expect(declared.subtracting(rows).subtracting(Self.sourcesWithoutARow.keys) == [], "without a row")
    #expect(rows.union(Self.sourcesWithoutARow.keys).subtracting(declared) == [], "without a declaration")
  }

  @Test
  func `each public declaration that reads a source has a form`() throws {
    let declared = try Set(PublicDeclaration.all().filter(\.readsASource).map(\.name))
    let forms = Set(ReadingForm.allCases.map(\.rawValue).map(declaration)).intersection(declared)
    #expect(declared.subtracting(forms).subtracting(Self.readersWithoutAForm.keys) == [], "without a form")
    #expect(Set(Self.readersWithoutAForm.keys).subtracting(declared) == [], "without a declaration")
  }

  @Test
  func
    `every function with a backlog returns a stream or a token, and only values returns a stream without a backlog`()
    throws
  {
    let functions = try PublicDeclaration.all().filter(\.isAFunctionOrAVariable)
    let readers = functions.filter { $0.returnsAStream || $0.returnsAToken }
    let streams = functions.filter { $0.returnsAStream && !$0.takesABacklog }
    #expect(
      functions.filter(\.takesABacklog).allSatisfy { takes in readers.contains { $0.name == takes.name } }
    )
    #expect(streams.map(\.name) == ["values"])
    #expect(functions.contains { $0.name == "changes(backlog:)" && $0.returnsAStream })
  }

  /// Declarations that make a source and have no row, with the reason.
  private static let sourcesWithoutARow = [
    "DerivedSource": "what every operator returns",
    "BindableCell.changes(since:)":
      "`changes`, after a version that the reader has; it is a member of cells only",
    "debug(name:to:)": "`handleEvents`",
    "isSilent(for:clock:)": "its values are no numbers: see `SilenceTests`",
    "feed(keepingOpen:retry:clock:reopensAtEnd:link:opening:onEnd:)":
      "it reads no source: see `FeedSourceTests`",
    "interval(interval:clock:)": "it reads no source: see `IntervalTests`",
    "AnyBindingSource": "what `erased()` returns",
    "AnyStateSource": "what `erased()` of a state returns",
  ]

  /// Declarations that read a source and have no form, with the reason.
  private static let readersWithoutAForm = [
    "values": "`values(backlog: .latest)`",
    "first(isolation:)": "`first(where:)` of any value",
    "first(isolation:where:timeout:clock:)": "`first(where:)` until a time",
    "settled()": "it delivers nothing: see `SettledUpstreamTests`",
    "updates(backlog:)": "`values` of `versioned()`",
    "changes(backlog:)": "`values` of `changes`",
    "bind(to:backlog:isolation:) of an array": observesChanges,
    "bind(to:on:backlog:) of an array": observesChanges,
    "bind(to:target:backlog:isolation:)": bindsAProperty,
    "bind(to:target:on:backlog:)": bindsAProperty,
    "bind(source:to:target:transform:backlog:isolation:)": bindsAProperty,
    "->>(source:target:)": bindsInPlace,
    "->>(source:target:) of an array": bindsInPlace,
    "->>(source:cell:)": bindsInPlace,
    "->>(source:handler:)": bindsInPlace,
    "consumeLoading(by:isolation:)": "`observe` with an owner, of what is loading",
    "consumeLoading(by:on:)": "`observe` with an owner, of what is loading",
  ]
  private static let observesChanges = "`observe` of `changes`"
  private static let bindsAProperty = "an overload of `bind` with `transform`"
  private static let bindsInPlace = "`bind` or `observe` in place"

  // Returns the declaration of a row, without the distinguishing word behind a semicolon.
  private func declaration(_ row: String) -> String {
    String(row.prefix { $0 != ";" })
  }
}
