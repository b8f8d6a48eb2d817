import ActorBindings
import Testing

/// A row of the matrix: a source, given by its origin and the operators behind it, from the inside out.
struct MatrixRow: Sendable, CustomTestStringConvertible {
  let origin: Origin
  let derivations: [Derivation]

  init(_ origin: Origin, _ derivations: Derivation...) {
    self.origin = origin
    self.derivations = derivations
  }

  var testDescription: String {
    ([origin.rawValue] + derivations.map(\.rawValue)).joined(separator: " › ")
  }

  /// Each origin without an operator, and each operator of a cell.
  static let single = Origin.allCases.map { MatrixRow($0) } + Derivation.allCases.map { MatrixRow(.cell, $0) }

  /// An operator behind each origin and behind each operator.
  static func paired(by outer: Derivation) -> [MatrixRow] {
    Origin.allCases.dropFirst().map { MatrixRow($0, outer) }
      + Derivation.allCases.map { MatrixRow(.cell, $0, outer) }
  }

  /// Makes the source; each call makes another one.
  func source(of driver: Driver, in world: World) -> any BindingSource<Int> {
    var source = driver.source()
    for derivation in derivations { source = derivation.derive(source, in: world) }
    return source
  }
}

extension MatrixRow {
  var isTimed: Bool { derivations.contains { $0.isTimed } }
  /// Whether other code must run before the reader receives a write.
  var isLate: Bool { origin.isLate || derivations.contains { $0.isRelay || $0.isDerivedCell } }
  var hasDerivedCell: Bool { derivations.contains { $0.isDerivedCell } }
  var dropsFirst: Bool {
    origin.tellsOnlyLaterValues || derivations.contains { [.dropFirst, .sampleOn].contains($0) }
  }
  func appearance(of number: Int) -> Int { origin.appearance(of: number) }
  /// Whether the source of this row ends when all cells that the row writes have ended. (A cell that only a relay holds
  /// ends with the relay's last reader. An action ends when it is deallocated; but a switch to a source of the action
  /// holds the cell that this source reads.)
  var endsWithItsSources: Bool {
    if derivations.contains(where: { [.flatMapToLoading, .flatMapToCell].contains($0) }) { return false }
    let isOfAction = [.isExecuting, .isEnabled, .outputs, .errors].contains(origin)
    return !isOfAction || !derivations.contains { [.switchInner, .flatMapInner].contains($0) }
  }
  /// Whether a reader with an unbounded backlog receives each number.
  var keepsAll: Bool { !isLate && origin != .loading }
}

extension Backlog {
  static let tried = [Backlog.latest, .bounded(2), .unbounded]
}

/// How a reading ends.
enum Ending: String, CaseIterable, Sendable {
  case source = "its source ends"
  case cancel = "it is cancelled"
  case owner = "its owner dies"
}

/// A row under test.
struct Trial: Sendable {
  let row: MatrixRow
  let world = World()
  let driver: Driver
  let source: any BindingSource<Int>
  /// The cell that has the source's readers.
  let root: AnyCell
  private let cells: [AnyCell]
  private let seen = Recorder<Noticed>()

  init(of row: MatrixRow) async {
    self.row = row
    driver = row.origin.drive()
    for number in 1...2 { await driver.write(number) }
    source = row.source(of: driver, in: world)
    root = rootCell(of: source)
    cells = [root] + driver.cells + world.allCells
  }

  /// The number of readers of each cell of the row.
  var readerCounts: [Int] { cells.map(\.readerCount) }

  /// All that is registered in these cells: readers, lanes, combinations, and what waits for the end.
  var registrationCounts: [Int] {
    cells.map { cell in
      cell.readerCount + cell.locked { $0.delivererTable.count + $0.followers.count + $0.endWaiterCount }
    }
  }

  var anotherSource: any BindingSource<Int> { row.source(of: driver, in: world) }

  /// The elements that the reader of the row received.
  var values: [Int] {
    seen.elements.compactMap { if case .value(let number) = $0 { number } else { nil } }
  }

  func begin(_ form: ReadingForm, _ backlog: Backlog) async -> BegunReading {
    await form.begin(source, backlog, seen)
  }

  /// Ends all sources, and lets a running call of an action return.
  func finish() {
    driver.finish()
    world.zero.finish()
  }

  /// Ends the remaining cells, when the readers have ended or their owners have died.
  func end() {
    // A switch looks for dead owners when its outer source ends, and not after that.
    world.releaseDerivedCells()
    finish()
  }

  /// Whether the state has the value: at once, or soon if other code must run first.
  func shows(_ number: Int, in state: any StateSource<Int>) async -> Bool {
    row.isLate ? await soon { state.value == number } : state.value == number
  }

  /// Advances the clock and waits until `condition` holds. Returns false if `condition` still does not hold after very
  /// many turns of other work.
  func soon(_ condition: () -> Bool) async -> Bool {
    await ActorBindingsTests.soon {
      if row.isTimed { world.clock.advance(by: World.interval) }
      return condition()
    }
  }
}

// MARK: - One reading

extension Trial {

  /// Reads the source from its beginning to its end. Returns the broken promises.
  func problems(of form: ReadingForm, _ backlog: Backlog, _ ending: Ending) async -> [String] {
    var problems = await reads(form, backlog, ending)
    end()
    let isOver = await ActorBindingsTests.soon { world.clock.sleepers == 0 }
    if !isOver {
      problems.append("A timer is left: \(row.testDescription), \(form), \(backlog), \(ending.rawValue)")
    }
    return problems
  }

  private func reads(_ form: ReadingForm, _ backlog: Backlog, _ ending: Ending) async -> [String] {
    var problems: [String] = []
    func expect(_ condition: Bool, _ promise: String) {
      if condition { return }
      problems.append(
        "\(promise): \(row.testDescription), \(form), \(backlog), \(ending.rawValue): \(seen.elements)"
      )
    }
    let before = readerCounts
    let reading = await begin(form, backlog)
    defer { withExtendedLifetime(reading) {} }
    if reading.isServed, !row.isLate, !row.dropsFirst {
      expect(values == [appearance(2)], "The current value is delivered in place")
    }

    await driver.write(3)
    expect(await isHanded(3, to: reading), "The newest value arrives")
    for number in 4...5 { await driver.write(number) }
    expect(await isHanded(5, to: reading), "The last value arrives")

    switch ending {
    case .source:
      guard row.endsWithItsSources else {
        // Only a cancellation or the death of the owner ends this reading.
        await reading.cancel?()
        _ = await reading.releaseOwner?()
        return problems
      }
      await driver.write(6)
      finish()
      expect(await leaves(reading) { readerCounts.allSatisfy { $0 == 0 } }, "No reader is left after the end")
      expect(values.last == appearance(6), "The end comes after the last value")
      if backlog == .unbounded, form.hasBacklog, row.keepsAll {
        let all = (row.dropsFirst ? 3...6 : 2...6).map(appearance)
        expect(values == all, "Every value is delivered with the backlog .unbounded")
      }
    case .cancel:
      guard let cancel = reading.cancel else { return problems }
      if reading.isPumped { await driver.write(6) }
      await cancel()
      let handed = values.count
      await driver.write(reading.isPumped ? 7 : 6)
      expect(await leaves(reading) { readerCounts == before }, "No reader is left after a cancellation")
      expect(values.count == handed, "Nothing is delivered after a cancellation")
    case .owner:
      guard let releaseOwner = reading.releaseOwner else {
        await reading.cancel?()
        return problems
      }
      expect(await releaseOwner(), "The owner is not held")
      let handed = values.count
      await driver.write(6)
      expect(await leaves(reading) { readerCounts == before }, "No reader is left after the owner's death")
      expect(values.count == handed, "Nothing is delivered after the owner's death")
    }
    let elements = seen.elements
    if reading.noticesEnd {
      expect(
        elements.filter { $0 == .end }.count == 1 && elements.last == .end,
        "The end is reported once, and last"
      )
    }
    expect(isSubsequence(values, of: (2...6).map(appearance)), "Values are in order, and none twice")
    return problems
  }

  private func appearance(_ number: Int) -> Int { row.appearance(of: number) }

  /// Whether the reader receives `number`, as the newest value so far.
  private func isHanded(_ number: Int, to reading: BegunReading) async -> Bool {
    await passes(reading) { seen.last == .value(appearance(number)) }
  }

  private func leaves(_ reading: BegunReading, _ condition: () -> Bool) async -> Bool {
    await passes(reading) { (seen.last == .end || !reading.noticesEnd) && condition() }
  }

  private func passes(_ reading: BegunReading, _ condition: () -> Bool) async -> Bool {
    await soon {
      reading.getOn()
      return condition()
    }
  }
}

private func rootCell(of source: some BindingSource<Int>) -> AnyCell { source.cursor.root.cell }

private func isSubsequence(_ some: [Int], of all: [Int]) -> Bool {
  var rest = all[...]
  return some.allSatisfy { number in
    guard let index = rest.firstIndex(of: number) else { return false }
    rest = rest[(index + 1)...]
    return true
  }
}
