import ActorBindings
import Dispatch
import Observation
import Testing

/// Runs what the tables of the articles *Coming from* say to write here. `ComingFromRowsTests` looks for the code of
/// each row in this file.
@Suite
struct ComingFromIdioms {
  struct Failed: Error {}

  struct User: Sendable {
    let name: String
  }

  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `writing a cell`() async {
    let other = cell
    #expect(cell === other)
    #expect(cell.value == 1 && !cell.isFinished)
    cell.send(2)
    cell.modify { $0 += 1 }
    #expect(cell.compareAndSet(3, 4))
    #expect(cell.sendIfChanged(4) == false)
    BindingTransaction.run { transaction in transaction[cell] = 5 }
    await cell.update(6)
    #expect(cell.version == 5)
    #expect(cell.observerCount == 0)
    let readOnly: some StateSource<Int> = cell.readOnly
    cell.finish()
    cell.send(7)
    #expect(readOnly.value == 6)
  }

  @Test
  func `events`() async {
    let events = EventSource<Int>()
    let seen = Recorder<Int>()
    let token = events.observe(on: .queue(.global()), backlog: .unbounded) { seen.record($0) }
    #expect(events.observerCount == 1)
    for event in 1...3 { events.send(event) }
    await events.settled()
    #expect(seen.elements == [1, 2, 3])
    events.finish()
    #expect(events.isFinished)
    await token.cancelAndWait()
  }

  @Test
  func `constants`() async throws {
    typealias Source<V: Sendable> = AnyBindingSource<V>
    let (value, x) = (7, 8)
    let result: Result<Int, Failed> = .success(9)
    let (first, second): (AnyStateSource<Int>, AnyStateSource<Int>) = (.constant(value), .constant(x))
    let third: AnyStateSource<Result<Int, Failed>> = .constant(result)
    #expect(first.value + second.value == 15)
    #expect(try await third.first()?.get() == 9)
    let (empty, never): (Source<Int>, Source<Int>) = (.empty, .never)
    #expect(await empty.first() == nil)
    #expect(await never.first(where: { _ in true }, timeout: .zero) == nil)
    #expect(cell.erased().value == 1)
  }

  private func source<V: Sendable>(_ source: some StateSource<V>) -> some BindingSource<V> {
    source.dropFirst()
  }
  private func state<V: Sendable>(_ source: some StateSource<V>) -> some StateSource<V> { source.map { $0 } }

  @Test
  func `operators of one source`() async {
    let trigger = BindableActor(0)
    let (texts, versioned) = (cell.map { "\($0)" }, cell.versioned().map(\.version))
    let odd = cell.filter { $0 % 2 == 1 }
    let numbers = texts.map { $0 as any Sendable }.compactMap { $0 as? String }.compactMap { Int($0) }
    let present = cell.map { Optional($0) }.compactMap(\.self)
    let distinct = cell.removeDuplicates().removeDuplicates(by: ==)
    let filled = cell.map { Int?.some($0) }.replaceNil(with: 0)
    let sum = cell.scan(0, +).withPrevious()
    let largest = combineLatest(cell.scan(0, max), cell.scan(0, min))
    let later = cell.drop(while: { $0 < 1 }).orInitially(0)
    let sampled = trigger.map { [cell] _ in cell.value }
    let onTrigger = cell.sample(on: trigger)
    let onlyNew = cell.versioned().sample(on: trigger).removeDuplicates(by: { $0.version == $1.version }).map(
      \.value
    )
    #expect(await [texts.first(), "1"] == ["1", "1"])
    #expect(await versioned.first() == 0)
    for source in [odd.erased(), numbers.erased(), present.erased(), later.erased(), sampled.erased()] {
      #expect(await source.first() == 1)
    }
    #expect(distinct.value == 1 && filled.value == 1 && state(cell).value == 1)
    #expect(await sum.first()?.new == 1)
    #expect(await largest.first().map { $0 == 1 && $1 == 0 } == true)
    for source in [onTrigger.erased(), onlyNew.erased()] {
      var values = source.values(backlog: .unbounded).makeAsyncIterator()
      trigger.send(1)
      #expect(await values.next() == 1)
    }
    cell.finish()
    #expect(await source(cell).first() == nil)
  }

  @Test
  func `ending early, and what a loop does`() async {
    let n = 2
    cell.finish()
    for source in [cell.prefix(n).erased(), cell.prefix(1).erased(), cell.prefix(while: { $0 < 3 }).erased()]
    {
      #expect(await source.values(backlog: .unbounded).elements() == [1])
    }
    for await _ in cell.dropFirst(n).values { Issue.record("there is one value") }
    #expect(await cell.dropFirst(n).first() == nil)
    #expect(await cell.prefix(until: BindableActor(0)).values.elements() == [1])
    for await update in cell.updates() { #expect(update.skipped == 0) }
    for await update in cell.updates(backlog: .bounded(n)) { #expect(update.value == 1) }
    for await value in cell.values { #expect(value == 1) }
    #expect(await cell.values.reduce(0, +) == 1)
    var iterator = cell.dropFirst().values(backlog: .latest).makeAsyncIterator()
    #expect(await iterator.next() == nil)
    let user = BindableActor(User(name: "Ada"))
    user.finish()
    for await name in user.map(\.name).values { #expect(name == "Ada") }
    await cell.forEachLatest { #expect($0 == 1) }
    async let first = cell.first(where: { $0 == 1 })
    #expect(await first == 1)
    #expect(await cell.first { $0 == 1 } == 1)
  }

  @Test
  func `operators of several sources, and sharing`() async {
    let (a, b) = (BindableActor(1), BindableActor(2))
    #expect(combineLatest(a, b).value == (1, 2))
    #expect(await merge(a, b).first() == 1)
    #expect(await zip(a, b).first().map { $0 + $1 } == 3)
    let (c, d) = (BindableActor(3), BindableActor(4))
    let merged = merge(merge(a, b, c), d).values(backlog: .unbounded)
    var last = merged.makeAsyncIterator()
    for number in 1...4 { #expect(await last.next() == number) }
    let triples = zip(zip(a, b), c).map { ($0.0, $0.1, $1) }
    #expect(await triples.first().map { $0 == (1, 2, 3) } == true)
    let switched = a.map { _ in b }.switchToLatest()
    #expect(await switched.first() == 2)
    #expect(await a.flatMapLatest { _ in b }.first() == 2)
    let shared = BindableActor(of: a.map { 2 * $0 })
    let waiting = BindableActor(initially: 0, of: a.dropFirst())
    #expect(shared.value == 2 && waiting.value == 0)
    #expect(a.map { -$0 }.keeping(a).value == -1)
  }

  @Test
  func `operators of time`() async {
    let second = Duration.seconds(1)
    let sources = [
      cell.debounce(for: second, clock: clock).erased(),
      cell.throttle(for: second, latest: true, clock: clock).erased(),
      cell.delay(for: second, clock: clock).erased(),
      cell.sample(every: second, clock: clock).erased(),
      cell.chunks(ofCount: 2, orAfter: second, clock: clock).map { $0[0] }.erased(),
      interval(second, clock: clock).map { _ in 1 }.erased(),
      cell.isSilent(for: second, clock: clock).filter { $0 }.map { _ in 1 }.erased(),
    ]
    for source in sources {
      let seen = Recorder<Int?>()
      async let reading: Void = seen.record(source.first())
      await eventually {
        clock.advance(by: second)
        return seen.count == 1
      }
      await reading
      #expect(seen.last == 1)
    }
    try? await ContinuousClock().sleep(for: .zero)
    try? await clock.sleep(until: clock.now, tolerance: nil)
  }

  @Test
  func `asynchronous functions`() async throws {
    let doubled = cell.asyncMap(maxConcurrent: 2) { 2 * $0 }
    #expect(await doubled.first() == 2)
    let loaded = cell.mapLatest { 3 * $0 }.compactMap(\.content)
    #expect(await loaded.first() == 3)
    let busy: AsyncAction<Int, Int> = AsyncAction { 4 * $0 }
    #expect(try await busy.execute(1) == 4)
    #expect(!busy.isExecuting.value)
    #expect(await busy.isEnabled.first { $0 } == true)
    #expect(busy.start(2))
    let refusing = AsyncAction(isEnabled: AnyStateSource<Bool>.constant(false)) { (_: Int) -> Void in
      throw Failed()
    }
    do { try await refusing.execute(1) } catch { #expect(error is ActionRefusal) }
    let errors = refusing.errors.values(backlog: .unbounded)
    withExtendedLifetime(errors) {}
    let action = busy
    _ = await action.isExecuting.first { !$0 }
    let ends = merge(action.outputs.map(Result.success), action.errors.map(Result.failure))
    var end = ends.values(backlog: .unbounded).makeAsyncIterator()
    try await action.execute(3)
    #expect(try await end.next()?.get() == 12)
    let loading = LoadingCell(retry: RetryPolicy { _, _ in nil }, clock: clock) { 5 }
    #expect(try await loading.load() == 5)
    let phase: LoadingPhase<Int> = loading.value
    #expect(!phase.isLoading)
  }
}
