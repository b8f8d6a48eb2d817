import ActorBindings
import Testing

/// Tests the operators that end a reader, and those that let it begin later.
@Suite
struct PrefixTests {
  private let cell = BindableActor(0)

  @Test
  func `prefix ends a loop with its last value, and not with a later update`() async {
    let values = cell.prefix(3).values(backlog: .unbounded)
    cell.send(1)
    cell.send(2)
    #expect(await values.elements() == [0, 1, 2])
    #expect(cell.observerCount == 0)
    #expect(!cell.isFinished)
  }

  @Test
  func `prefix ends an observation, which then releases its captures and does not count as cancelled`() {
    let (captures, context) = (Census(), ManualContext())
    let token = cell.prefix(2).observe(on: context.delivery) { [citizen = captures.citizen()] _ in
      _ = citizen
    }
    context.run()
    #expect(cell.observerCount == 1)
    cell.send(1)
    context.run()
    #expect(captures.alive == 0)
    #expect(cell.observerCount == 0)
    #expect(!token.isCancelled)
    cell.send(2)
    context.run()
  }

  @Test
  func `a prefix of nothing ends at once`() async {
    #expect(await cell.prefix(0).values.elements() == [])
    let (seen, context) = (Recorder<Int>(), ManualContext())
    let token = cell.prefix(0).observe(on: context.delivery) { seen.record($0) }
    context.run()
    #expect(seen.elements == [])
    #expect(cell.observerCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `a negative prefix ends the process`() async {
    await #expect(processExitsWith: .failure) { _ = BindableActor(0).prefix(-1) }
  }

  @Test
  func `prefix with a predicate ends at the first value that is not included`() async {
    let values = cell.prefix { $0 < 2 }.values(backlog: .unbounded)
    for number in [1, 2, 1] { cell.send(number) }
    #expect(await values.elements() == [0, 1])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a reader of only the newest value counts what it receives`() {
    let reader = StreamingReader(cell.prefix(2), .latest)
    reader.read()
    for number in 1...5 { cell.send(number) }
    reader.read()
    cell.send(6)
    reader.read()
    #expect(reader.readings == [Reading(0, version: 0, isInitial: true), Reading(5, version: 5, skipped: 4)])
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `in a combination a prefix keeps its last value, and the combination ends with its cells`(
    backlog: Backlog
  ) async {
    let other = BindableActor(0)
    let pairs = combineLatest(cell.prefix(2), other).map { [$0, $1] }
    let reader = StreamingReader(pairs, backlog)
    reader.read()
    for number in 1...3 {
      cell.send(number)
      reader.read()
    }
    other.send(9)
    reader.read()
    #expect(reader.readings.map(\.value) == [[0, 0], [1, 0], [1, 9]])
    let versions = reader.readings.map(\.version)
    #expect(versions == versions.sorted())
    let values = pairs.values
    other.finish()
    cell.finish()
    #expect(await values.elements().count == 1)
  }

  @Test
  func `a relay behind a prefix ends with it`() async {
    let clock = ManualClock()
    let throttled = cell.prefix(1).throttle(for: .seconds(1), clock: clock)
    #expect(await throttled.values.elements() == [0])
    #expect(cell.observerCount == 0)
  }

  @Test
  func `drop leaves out values until the predicate is false, and then no more`() {
    let asked = Counter()
    let source = cell.drop { number in
      asked.add()
      return number < 3
    }
    let reader = StreamingReader(source, .unbounded)
    for number in [1, 3, 2, 0] { cell.send(number) }
    reader.read()
    #expect(reader.readings.map(\.value) == [3, 2, 0])
    #expect(reader.readings.first == Reading(3, version: 2))
    #expect(asked.value == 3)
  }
}
