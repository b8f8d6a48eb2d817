import ActorBindings
import Testing

/// Tests `dropFirst` with a number.
@Suite
struct CountedDropTests {
  private let cell = BindableActor(0)

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `the current value and the changes after it are left out, up to the number`(backlog: Backlog) {
    let reader = ObservingReader(cell.dropFirst(3), backlog)
    reader.read()
    for number in 1...4 {
      cell.send(number)
      reader.read()
    }
    #expect(reader.readings == [Reading(3, version: 3), Reading(4, version: 4)])
  }

  @Test
  func `a reader of all values leaves out exactly the number, also if it reads late`() async {
    let values = cell.dropFirst(3).values(backlog: .unbounded)
    for number in 1...5 { cell.send(number) }
    cell.finish()
    #expect(await values.elements() == [3, 4, 5])
  }

  @Test
  func `zero leaves out nothing`() {
    let reader = StreamingReader(cell.dropFirst(0), .unbounded)
    cell.send(1)
    reader.read()
    #expect(reader.readings == [Reading(0, version: 0, isInitial: true), Reading(1, version: 1)])
  }

  @Test
  func `a negative number ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = BindableActor(0).dropFirst(-1) }
  }

  @Test
  func `a reader whose source ends before the number has no values`() async {
    let values = cell.dropFirst(3).values(backlog: .unbounded)
    cell.send(1)
    cell.finish()
    #expect(await values.elements() == [])
  }

  @Test
  func `skipped updates count as left out, and not as skipped`() {
    let reader = StreamingReader(cell.dropFirst(3), .latest)
    for number in 1...5 { cell.send(number) }
    reader.read()
    #expect(reader.readings == [Reading(5, version: 5, skipped: 2)])
  }

  @Test
  func `what a reader skips before its first look counts once`() {
    let reader = StreamingReader(cell.dropFirst(4), .latest)
    for number in 1...4 {
      // The first look skips 0 and 1.
      cell.send(number)
      if number > 1 { reader.read() }
    }
    #expect(reader.readings == [Reading(4, version: 4)])
  }

  @Test
  func `a busy reader leaves out no value after the number`() {
    let reader = StreamingReader(cell.dropFirst(4), .bounded(2))
    reader.read()
    cell.send(1)
    reader.read()
    for number in 2...4 { cell.send(number) }
    reader.read()
    // The reader has left out 0 and 1, has skipped 2, and leaves out 3.
    #expect(reader.readings == [Reading(4, version: 4)])
  }

  @Test
  func `a combination whose sides are written once each counts both updates`() {
    let other = BindableActor(0)
    let reader = StreamingReader(combineLatest(cell, other).map { $0 + $1 }.dropFirst(3), .latest)
    reader.read()
    cell.send(1)
    other.send(10)
    reader.read()
    cell.send(2)
    reader.read()
    // The values are 0, 1, 11 and 12. The reader has skipped 1.
    #expect(reader.readings.map(\.value) == [12])
  }

  @Test
  func `behind a filter, only the values that pass count`() {
    let reader = StreamingReader(cell.filter { $0 % 2 == 1 }.dropFirst(2), .unbounded)
    for number in 1...7 { cell.send(number) }
    reader.read()
    #expect(reader.readings.map(\.value) == [5, 7])
  }

  @Test
  func `a filter's reader that keeps up leaves out exactly the number, with any backlog`() {
    let reader = StreamingReader(cell.filter { $0 % 2 == 1 }.dropFirst(2), .latest)
    reader.read()
    for number in 1...7 {
      cell.send(number)
      reader.read()
    }
    #expect(reader.readings.map(\.value) == [5, 7])
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `the first events of an event source count, although it has no current value`(backlog: Backlog) {
    let events = EventSource<Int>()
    let reader = ObservingReader(events.dropFirst(2), backlog)
    reader.read()
    for number in 1...4 {
      events.send(number)
      reader.read()
    }
    #expect(reader.readings.map(\.value) == [3, 4])
  }

  @Test
  func `events that a reader of only the newest skips count`() {
    let events = EventSource<Int>()
    let reader = StreamingReader(events.dropFirst(2), .latest)
    for number in 1...3 { events.send(number) }
    reader.read()
    #expect(reader.readings.map(\.value) == [3])
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `the current values of merged sources count one by one`(backlog: Backlog) {
    let other = BindableActor(0)
    // Earlier updates are not skipped: they came before the readers.
    for number in 1...10 { other.send(number) }
    let readers = (1...3).map { StreamingReader(merge(cell, other).dropFirst($0), backlog) }
    for number in 1...2 {
      for reader in readers { reader.read() }
      cell.send(number)
    }
    for reader in readers { reader.read() }
    #expect(readers.map { $0.readings.map(\.value) } == [[10, 1, 2], [1, 2], [2]])
  }

  @Test
  func `a reader of all values counts a transaction that writes both sides once`() {
    let other = BindableActor(0)
    let reader = StreamingReader(combineLatest(cell, other).map { $0 + $1 }.dropFirst(3), .unbounded)
    for number in 1...3 {
      BindingTransaction.run { [cell] transaction in
        transaction[cell] = number
        transaction[other] = number
      }
    }
    reader.read()
    #expect(reader.readings.map(\.value) == [6])
  }

  @Test
  func `one after another leave out the sum of their numbers`() async {
    let values = cell.dropFirst(2).dropFirst(1).values(backlog: .unbounded)
    for number in 1...4 { cell.send(number) }
    cell.finish()
    #expect(await values.elements() == [3, 4])
  }
}
