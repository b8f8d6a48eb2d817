import ActorBindings
import Dispatch
import Foundation
import Testing

@Suite
struct SwitchToLatestTests {
  private let first = BindableActor("a1")
  private let second = BindableActor("b1")

  @Test
  func `switchToLatest delivers the values of the newest source`() async {
    let outer = BindableActor(first.readOnly)
    var iterator = outer.switchToLatest().values(backlog: .unbounded).makeAsyncIterator()
    first.send("a2")
    for expected in ["a1", "a2"] { #expect(await iterator.next() == expected) }
    outer.send(second.readOnly)
    first.send("a3")
    #expect(await iterator.next() == "b1")
    second.send("b2")
    first.send("a4")
    second.send("b3")
    for expected in ["b2", "b3"] { #expect(await iterator.next() == expected) }
    #expect(first.observerCount == 0)
    outer.send(first.readOnly)
    #expect(await iterator.next() == "a4")
  }

  @Test
  func `an observer of a switch receives the current value at once`() async {
    let outer = BindableActor(1)
    let inner = [first, second]
    await MainActor.run {
      var seen: [String] = []
      let token = outer.flatMapLatest { inner[$0] }.observe { seen.append($0) }
      #expect(seen == ["b1"])
      token.cancel()
    }
    #expect(outer.observerCount == 0)
    #expect(second.observerCount == 0)
  }

  @Test
  func `a switch begins when there is a source, and ends when both have ended`() async {
    let outer = BindableActor<BindableActor<String>?>()
    let stream = outer.compactMap(\.self).switchToLatest().values(backlog: .unbounded)
    async let elements = stream.elements()
    await eventually { outer.observerCount == 1 }
    outer.send(first)
    await eventually { first.observerCount == 1 }
    outer.finish()
    first.send("a2")
    first.finish()
    #expect(await elements == ["a1", "a2"])
  }

  @Test
  func `an inner source that ends leaves its last value until the next one`() async {
    let outer = BindableActor(first.readOnly)
    var iterator = outer.switchToLatest().values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == "a1")
    first.finish()
    outer.send(second.readOnly)
    #expect(await iterator.next() == "b1")
  }

  @Test
  func `a switch can be combined, and has readers of every backlog`() async {
    let outer = BindableActor(0)
    let inner = [first, second]
    let switched = outer.flatMapLatest { inner[$0] }
    var newest = switched.values.makeAsyncIterator()
    #expect(await newest.next() == "a1")
    var all = combineLatest(outer, switched).map { "\($0)\($1)" }.values(backlog: .unbounded)
      .makeAsyncIterator()
    #expect(await all.next() == "0a1")
    first.send("a2")
    first.send("a3")
    #expect(await all.next() == "0a2")
    #expect(await all.next() == "0a3")
    #expect(await newest.next() == "a3")
    #expect(outer.observerCount == 2)
  }

  @Test(arguments: [0, 1])
  func `an operator of the outer source examines every value`(start: Int) async {
    let outer = BindableActor(start)
    let rooms = (0...3).map { BindableActor("\($0)") }
    let switched = outer.filter { $0 != 3 }.scan([]) { $0 + [$1] }.flatMapLatest { visited in
      // These writes happen when the switch knows the next room, but has not read it yet.
      if visited.last == 1 {
        outer.send(2)
        outer.send(3)
      }
      return rooms[visited.last ?? 0].map { "\(visited) \($0)" }
    }
    var iterator = switched.values(backlog: .unbounded).makeAsyncIterator()
    if start == 0 {
      #expect(await iterator.next() == "[0] 0")
      outer.send(1)
    }
    #expect(await iterator.next() == (start == 0 ? "[0, 1, 2] 2" : "[1, 2] 2"))
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `G16 an observer of a switch begins, though each switch writes the outer source`(
    backlog: Backlog
  ) async {
    let (outer, inner, context) = (BindableActor(0), BindableActor("a"), ManualContext())
    let calls = CallsHere()
    let switched = outer.flatMapLatest(innerBacklog: backlog) { [inner] count in
      calls.count()
      // Each inner source is already outdated when it is returned.
      if count < 100_000 { outer.send(count + 1) }
      return inner
    }
    let token = switched.observe(on: context.delivery) { _ in }
    #expect(calls.end() < 10)
    await eventually { outer.value > 20 }
    token.cancel()
    await eventually { outer.observerCount == 0 && inner.observerCount == 0 }
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `G16 a switch begins, though its outer source writes what it rejects`(backlog: Backlog) async {
    let (outer, inner, context) = (BindableActor(0), BindableActor("a"), ManualContext())
    let calls = CallsHere()
    let switched = outer.filter { count in
      calls.count()
      if count < 100_000 { outer.send(count + 1) }
      return count == 3
    }
    .flatMapLatest(innerBacklog: backlog) { _ in inner }
    let token = switched.observe(on: context.delivery) { _ in }
    #expect(calls.end() < 10)
    await eventually { inner.observerCount == 1 }
    token.cancel()
    await eventually { outer.observerCount == 0 && inner.observerCount == 0 }
  }

  @Test
  func `settled() of the outer source waits for a switch that comes after another one`() async {
    let (outer, rooms, context) = (BindableActor(0), (0...2).map { BindableActor($0) }, ManualContext())
    let (isAsked, latch, station) = (Gate(), Latch(), Station())
    let seen = Recorder<Int>()
    let (hasSettled, isEarly) = (Flag(), Flag())
    let switched = outer.flatMapLatest { number in
      if number == 1 {
        isAsked.open()
        latch.wait()
      }
      return rooms[number].map { value in
        // Spins for long enough to let a task run that was already resumed.
        let deadline = ContinuousClock.now + .milliseconds(200)
        while value == 2, !hasSettled.isSet, ContinuousClock.now < deadline { sched_yield() }
        if value == 2, hasSettled.isSet { isEarly.set() }
        return value
      }
    }
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    // The test continues on a separate thread, since `transform` blocks a thread of the pool.
    await Task(executorPreference: station) {
      outer.send(1)
      await isAsked.passed()
      outer.send(2)
      let settled = Task(executorPreference: station) {
        await outer.settled()
        hasSettled.set()
      }
      // When this empty task has run, the task above waits in `settled()`.
      await Task(executorPreference: station) {}.value
      latch.open()
      await settled.value
    }.value
    await eventually {
      context.run()
      return seen.elements.last == 2
    }
    #expect(!isEarly.isSet)
    token.cancel()
  }

  @Test
  func `settled() of the outer source waits while a reader catches up in several turns`() async {
    let (outer, rooms, context) = (BindableActor(0), (0...20).map { BindableActor($0) }, ManualContext())
    let (isAsked, latch, station) = (Gate(), Latch(), Station())
    let seen = Recorder<Int>()
    let switched = outer.flatMapLatest { number in
      if number == 1 {
        isAsked.open()
        latch.wait()
      }
      // A turn of the relay ends within a few such calls.
      let end = ContinuousClock.now + .milliseconds(3)
      while ContinuousClock.now < end {}
      return rooms[number]
    }
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    // The test continues on a separate thread, since `transform` blocks a thread of the pool.
    let newest = await Task(executorPreference: station) {
      outer.send(1)
      await isAsked.passed()
      for number in 2...20 { outer.send(number) }
      let settled = Task(executorPreference: station) { await outer.settled() }
      // When this empty task has run, the task above waits in `settled()`.
      await Task(executorPreference: station) {}.value
      latch.open()
      await settled.value
      context.run()
      return seen.elements.last
    }.value
    #expect(newest == 20)
    token.cancel()
  }

  @Test
  func `a switch sees what was written to the outer source while its first reader began`() async {
    let (outer, rooms, context) = (BindableActor(0), (0...3).map { BindableActor($0) }, ManualContext())
    let hasWritten = Flag()
    let switched = outer.filter { number in
      if number == 0, !hasWritten.isSet {
        hasWritten.set()
        outer.send(1)
        // The followers read 1 here; 2 and 3 stay in the log of the outer source.
        for follower in outer.cell.withFollowers { follower.refresh() }
        outer.send(2)
        outer.send(3)
      }
      return number != 3
    }
    .flatMapLatest { rooms[$0] }
    let seen = Recorder<Int>()
    let token = switched.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    await outer.settled()
    context.run()
    #expect(seen.elements.last == 2)
    token.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `the outer source may switch itself`(backlog: Backlog) async {
    let (outer, rooms) = (BindableActor(0), BindableActor([0, 1]))
    let inner = [first, second]
    let room = outer.flatMapLatest { client in rooms.map { $0[client] } }
    let switched = room.removeDuplicates().flatMapLatest(innerBacklog: backlog) { inner[$0] }
    var iterator = switched.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == "a1")
    outer.send(1)
    #expect(await iterator.next() == "b1")
    rooms.send([1, 0])
    #expect(await iterator.next() == "a1")
    first.send("a2")
    #expect(await iterator.next() == "a2")
    for cell in [outer.cell as AnyCell, rooms.cell, first.cell] { #expect(cell.readerCount == 1) }
    #expect(second.observerCount == 0)
  }

  @Test
  func `a switch without readers is no observer of its sources, and keeps nothing`() async {
    let census = Census()
    let citizens = BindableActor(census.citizen(1))
    let outer = BindableActor(citizens.readOnly)
    let switched = outer.switchToLatest()
    for _ in 1...3 {
      do {
        var iterator = switched.values.makeAsyncIterator()
        #expect(await iterator.next() != nil)
        #expect(citizens.observerCount == 1)
      }
      #expect(citizens.observerCount == 0)
      #expect(outer.observerCount == 0)
      citizens.send(census.citizen())
      await eventually { census.alive == 1 }
    }
  }

  @Test
  func `a switch holds the current inner source`() async {
    let census = Census()
    let gate = Gate()
    let text = BindableActor("a")
    let results = text.flatMapLatest { [citizen = census.citizen()] text in
      let cell = LoadingCell { [inner = census.citizen()] in
        await gate.passed()
        return "\(text)\(inner.number)\(citizen.number)"
      }
      cell.startLoading()
      return cell
    }
    do {
      var iterator = results.values(backlog: .unbounded).makeAsyncIterator()
      #expect(await iterator.next()?.isLoading == true)
      gate.open()
      #expect(await iterator.next()?.content == "a00")
      text.send("b")
      while let next = await iterator.next(), next.content != "b00" { #expect(next.isLoading) }
      // Two captures are left: that of the current source's closure, and that of `transform`.
      await eventually { census.alive == 2 }
    }
    await eventually { census.alive == 1 }
    #expect(text.observerCount == 0)
    withExtendedLifetime(results) {}
  }

  @Test
  func `G9 an owner that dies with the outer source leaves nothing, though the inner source continues`() async
  {
    /// An owner that has the outer source as a property, and observes.
    final class Model: Sendable {
      let text = BindableActor("a")

      init(_ census: Census, _ queue: DispatchQueue) {
        let results = text.flatMapLatest { [citizen = census.citizen()] text in
          BindableActor("\(text)\(citizen.number)")
        }
        results.observe(self, on: .queue(queue)) { [citizen = census.citizen()] _, _ in
          withExtendedLifetime(citizen) {}
        }
      }
    }

    let (census, queue) = (Census(), DispatchQueue(label: "model"))
    for _ in 0..<100 {
      let model = Model(census, queue)
      await model.text.settled()
      #expect(census.alive >= 2)
    }
    await eventually { census.alive == 0 }
  }

  @Test
  func `a switch holds the actor whose cell a derived inner source reads`() async {
    let outer = BindableActor(0)
    let other = BindableActor(10)
    let box = Box(BindableActor(1))
    weak let inner = box.value
    let switched = outer.flatMapLatest { _ in (box.value ?? other).map { $0 } }
    var iterator = switched.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 1)
    box.value = nil
    inner?.send(2)
    #expect(await iterator.next() == 2)
    outer.send(1)
    #expect(await iterator.next() == 10)
    await eventually { inner == nil }
  }

  @Test(arguments: [Backlog.latest, .bounded(8), .unbounded])
  func `a switch delivers nothing that is written to the old source after the switch`(backlog: Backlog) async
  {
    // Each inner source counts up; the delivered values come from the newest source, and never decrease.
    let sources = (0..<4).map { _ in BindableActor((source: 0, turn: 0)) }
    let outer = BindableActor(0)
    let switched = outer.flatMapLatest { sources[$0 % 4] }
    let reader = Task.detached {
      var (wrong, last) = (0, (source: 0, turn: 0))
      for await value in switched.values(backlog: backlog) {
        if value.turn < last.turn { wrong += 1 }
        last = value
      }
      return (wrong, last.turn)
    }
    await eventually { sources[0].observerCount == 1 }
    let turns = stressed(2_000)
    await repeatedly(turns) { round in
      let turn = round + 1
      sources[turn % 4].send((turn % 4, turn))
      outer.send(turn)
      // A value sent to the old source now must not be seen: it would have a later turn.
      sources[(turn + 3) % 4].send(((turn + 3) % 4, Int.max))
      sources[(turn + 3) % 4].send(((turn + 3) % 4, turn))
    }
    outer.finish()
    sources.forEach { $0.finish() }
    let (wrong, last) = await reader.value
    #expect(wrong == 0)
    #expect(last == turns)
  }
}

/// Counts calls on the thread that made this object, until `end()` is called.
private final class CallsHere: Sendable {
  private let calls = Counter()
  private let hasEnded = Flag()
  private let thread = ObjectIdentifier(Thread.current)

  func count() {
    if !hasEnded.isSet, ObjectIdentifier(Thread.current) == thread { calls.add() }
  }

  func end() -> Int {
    hasEnded.set()
    return calls.value
  }
}
