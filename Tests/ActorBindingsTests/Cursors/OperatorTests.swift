import ActorBindings
import Testing

/// Tests each operator, for observers and for loops, with each backlog: the values, `skipped`, `isInitial`.
@Suite
struct OperatorTests {
  /// Sends the numbers of each burst, and lets both kinds of readers read after each burst.
  private func expect<Source: BindingSource>(
    _ operate: (BindableActor<Int>) -> Source,
    _ backlog: Backlog,
    bursts: [[Int]],
    _ expected: [Reading<Source.Value>],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async where Source.Value: Equatable {
    let cell = BindableActor(0)
    let observer = ObservingReader(operate(cell), backlog)
    let loop = StreamingReader(operate(cell), backlog)
    observer.read()
    loop.read()
    for burst in bursts {
      burst.forEach(cell.send)
      observer.read()
      loop.read()
    }
    #expect(observer.readings == expected, sourceLocation: sourceLocation)
    #expect(loop.readings == expected, sourceLocation: sourceLocation)
  }

  private let bursts = [[1], [2, 3, 4, 5], [6]]

  @Test
  func `map: latest`() async {
    await expect(
      { $0.map { "\($0)" } },
      .latest,
      bursts: bursts,
      [
        Reading("0", version: 0, isInitial: true),
        Reading("1", version: 1), Reading("5", version: 5, skipped: 3), Reading("6", version: 6),
      ]
    )
  }

  @Test
  func `map: bounded`() async {
    await expect(
      { $0.map { -$0 } },
      .bounded(2),
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true),
        Reading(-1, version: 1),
        Reading(-4, version: 4, skipped: 2), Reading(-5, version: 5), Reading(-6, version: 6),
      ]
    )
  }

  @Test
  func `map: unbounded`() async {
    await expect(
      { $0.map { -$0 } },
      .unbounded,
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true),
        Reading(-1, version: 1), Reading(-2, version: 2), Reading(-3, version: 3), Reading(-4, version: 4),
        Reading(-5, version: 5), Reading(-6, version: 6),
      ]
    )
  }

  @Test
  func `filter: with latest, only the newest value is examined`() async {
    await expect(
      { $0.filter { $0 % 2 == 0 } },
      .latest,
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true),
        // The reader examined 1 and 5; it did not examine 2, 3 and 4.
        Reading(6, version: 6, skipped: 3),
      ]
    )
  }

  @Test
  func `filter: with bounded, the kept values are examined`() async {
    await expect(
      { $0.filter { $0 % 2 == 0 } },
      .bounded(2),
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true),
        Reading(4, version: 4, skipped: 2), Reading(6, version: 6),
      ]
    )
  }

  @Test
  func `filter: with unbounded, all values are examined, so nothing is skipped`() async {
    await expect(
      { $0.filter { $0 % 3 == 0 } },
      .unbounded,
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true), Reading(3, version: 3), Reading(6, version: 6),
      ]
    )
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `filter: when the initial value is rejected, no other is the initial one`(backlog: Backlog) async {
    await expect(
      { $0.filter { $0 > 0 } },
      backlog,
      bursts: [[1], [2]],
      [
        Reading(1, version: 1), Reading(2, version: 2),
      ]
    )
  }

  @Test
  func `compactMap: bounded`() async {
    await expect(
      { $0.compactMap { $0 % 2 == 0 ? "\($0)" : nil } },
      .bounded(3),
      bursts: bursts,
      [
        Reading("0", version: 0, isInitial: true),
        Reading("4", version: 4, skipped: 1), Reading("6", version: 6),
      ]
    )
  }

  @Test
  func `removeDuplicates: a rejected value is not skipped`() async {
    let bursts = [[0], [0, 1, 1, 1], [1, 2]]
    await expect(
      { $0.removeDuplicates() },
      .unbounded,
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true), Reading(1, version: 3), Reading(2, version: 7),
      ]
    )
    await expect(
      { $0.removeDuplicates() },
      .latest,
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true),
        Reading(1, version: 5, skipped: 3), Reading(2, version: 7, skipped: 1),
      ]
    )
  }

  @Test
  func `removeDuplicates: compares with the previous delivered value, by the given closure`() async {
    let bursts = [[11, 21, 22, 12, 13]]
    await expect(
      { $0.removeDuplicates { $0 / 10 == $1 / 10 } },
      .unbounded,
      bursts: bursts,
      [
        Reading(0, version: 0, isInitial: true),
        Reading(11, version: 1), Reading(21, version: 2), Reading(12, version: 4),
      ]
    )
  }

  @Test
  func `chains: each operator counts what the previous operators rejected`() async {
    let operate = { (cell: BindableActor<Int>) in
      cell.filter { $0 % 2 == 0 }.map { $0 / 4 }.removeDuplicates().compactMap { $0 == 1 ? nil : $0 }
    }
    await expect(
      operate,
      .unbounded,
      bursts: [[1, 2, 3, 4], [5, 6, 7, 8, 9]],
      [
        Reading(0, version: 0, isInitial: true), Reading(2, version: 8),
      ]
    )
    await expect(
      operate,
      .latest,
      bursts: [[1, 2, 3, 4], [5, 6, 7, 8], [12]],
      [
        Reading(0, version: 0, isInitial: true),
        Reading(2, version: 8, skipped: 6), Reading(3, version: 9),
      ]
    )
  }

  @Test
  func `each operator ends when its cell ends`() {
    let cell = BindableActor(0)
    cell.finish()
    func expectEnd(_ source: some BindingSource, sourceLocation: SourceLocation = #_sourceLocation) {
      let context = ManualContext()
      let token = source.observe(on: context.delivery) { _ in }
      #expect(cell.observerCount == 1, sourceLocation: sourceLocation)
      context.run()
      #expect(cell.observerCount == 0, sourceLocation: sourceLocation)
      #expect(!token.isCancelled, sourceLocation: sourceLocation)
    }
    expectEnd(cell)
    expectEnd(cell.map { $0 })
    expectEnd(cell.filter { _ in false })
    expectEnd(cell.compactMap { Optional($0) })
    expectEnd(cell.removeDuplicates())
    expectEnd(cell.versioned())
  }
}
