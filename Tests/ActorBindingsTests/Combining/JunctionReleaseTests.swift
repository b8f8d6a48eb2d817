import ActorBindings
import Testing

/// What a junction and its readers hold, and when they release it.
@Suite
struct JunctionReleaseTests {
  private let events = Recorder<String>()
  private let other = BindableActor(0)

  // Records when it dies.
  private func mortal(_ number: Int) -> Mortal {
    Mortal { [events] in events.record("released \(number)") }
  }

  // Records when the cell in which it is parked wakes it.
  private func witness() -> EndWaiter {
    EndWaiter { [events] in events.record("woken") }
  }

  @Test
  func `a step wakes readers before it releases the values that it has replaced`() {
    let cell = BindableActor(mortal(1))
    let joint = combineLatest(cell, other).cursor.root.cell
    var position = joint.read(for: .joining(depth: 1)) { state, roster in
      roster.readerJoined()
      return state.joined(depth: 1, at: roster.version, isJoint: true)
    }
    position.chunk = nil
    let witness = self.witness()
    joint.locked { $0.parked(witness) }
    cell.send(mortal(2))
    joint.read(for: .reading) { state, roster in
      // The step has just replaced 1 by 2. From here on only the joint cell holds 2, which its last reader leaves now.
      cell.send(mortal(3))
      roster.readersLeft()
      _ = state.left(&position, at: roster.version, of: joint)
    }
    #expect(events.elements.first == "woken")
    #expect(Set(events.elements) == ["woken", "released 1", "released 2"])
    withExtendedLifetime(cell) {}
  }

  @Test
  func `a step wakes readers before it releases what a window no longer holds`() {
    let cell = BindableActor(mortal(1))
    let source = combineLatest(cell, other)
    // The position of the stream holds 1.
    let stream = source.values(backlog: .bounded(2))
    for number in 2...3 { cell.send(mortal(number)) }
    let witness = self.witness()
    source.cursor.root.cell.locked { $0.parked(witness) }
    cell.send(mortal(4))
    #expect(events.elements == ["woken", "released 2"])
    withExtendedLifetime((cell, stream)) {}
  }

  @Test
  func `a step that outlives the last reader leaves no value in the cell`() {
    let census = Census()
    let citizens = BindableActor(census.citizen())
    let source = combineLatest(citizens, other)
    // The step of the reader that leaves reads what has piled up, in several holds of the lock. Between two holds the
    // other reader leaves too.
    let few = Box(source.values(backlog: .bounded(2)))
    let witness = EndWaiter { few.value = nil }
    do {
      let all = source.values(backlog: .unbounded)
      for _ in 1...2 * AnyJunction.longestPortion { citizens.send(census.citizen()) }
      source.cursor.root.cell.locked { $0.parked(witness) }
      withExtendedLifetime(all) {}
    }
    citizens.send(census.citizen())
    #expect(census.alive == 1)
  }

  @Test
  func `G10 an unread history is released after the lock`() {
    let (deaths, joint) = (Counter(), Box<AnyCell>())
    func mortal() -> Mortal {
      Mortal {
        deaths.add()
        _ = joint.value?.version
      }
    }
    let cell = BindableActor(mortal())
    let source = combineLatest(cell, other)
    joint.value = source.cursor.root.cell
    do {
      let all = source.values(backlog: .unbounded)
      for _ in 1...3 { cell.send(mortal()) }
      withExtendedLifetime(all) {}
    }
    #expect(deaths.value == 3)
    joint.value = nil
    withExtendedLifetime(cell) {}
  }

  @Test
  func `a history of five cells leaves no value behind, whether another reader lags or not`() async {
    let census = Census()
    let cells = (0..<5).map { _ in BindableActor(census.citizen(0)) }
    let newest = combineLatest(cells[0], cells[1], cells[2], cells[3], cells[4]).map {
      max($0.number, $1.number, $2.number, $3.number, $4.number)
    }
    var numbers = newest.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await numbers.next() == 0)
    func expectNext(_ range: ClosedRange<Int>) async {
      for number in range { cells[[0, 1, 1, 2, 3, 4, 4][number % 7]].send(census.citizen(number)) }
      for number in range { #expect(await numbers.next() == number) }
    }
    await expectNext(1...100)
    #expect(census.alive == 5)
    do {
      // Holds each value of its cell. The combination passes these values, and releases only those of the other cells.
      let lagging = cells[1].values(backlog: .unbounded)
      await expectNext(101...200)
      let held = (101...200).count { [1, 2].contains($0 % 7) }
      // The newest of the held values is also the value of its cell. The stream begins with the value before them.
      #expect(census.alive == 5 + held)
      withExtendedLifetime(lagging) {}
    }
    await expectNext(201...300)
    #expect(census.alive == 5)
  }

  // The streams that leave have read nothing. The combination is the last to pass their slots, so from then on it passes
  // each slot for them too. The second time the combination takes a new position.
  @Test(arguments: 0...2)
  func `a history that ends leaves no slot of the log unpassed`(streams: Int) async {
    let census = Census()
    let citizens = BindableActor(census.citizen(0))
    let joint = combineLatest(citizens, other).map(\.0.number)
    var behind = citizens.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await behind.next()?.number == 0)
    for first in [1, 6] {
      let numbers = first..<first + 5
      do {
        let leaving = (0..<streams).map { _ in citizens.values(backlog: .unbounded) }
        var joined = joint.values(backlog: .unbounded).makeAsyncIterator()
        #expect(await joined.next() == first - 1)
        for number in numbers.prefix(2) { citizens.send(census.citizen(number)) }
        _ = consume leaving
        for number in numbers.prefix(2) { #expect(await behind.next()?.number == number) }
        for number in numbers.prefix(2) { #expect(await joined.next() == number) }
        citizens.send(census.citizen(first + 2))
        #expect(await joined.next() == first + 2)
        for number in numbers.suffix(2) { citizens.send(census.citizen(number)) }
      }
      for number in numbers.suffix(3) {
        #expect(await behind.next()?.number == number)
        #expect(census.alive == max(1, numbers.upperBound - 1 - number))
      }
    }
  }

  @Test
  func `a reader of a combination does not hold the value that it has seen`() async {
    let census = Census()
    let citizens = BindableActor(census.citizen(1))
    let source = combineLatest(citizens.map(\.number), other).map { number, _ in number }
    var (idle, busy) = (source.values.makeAsyncIterator(), source.values.makeAsyncIterator())
    #expect(await idle.next() == 1)
    #expect(await busy.next() == 1)
    citizens.send(census.citizen(2))
    #expect(await busy.next() == 2)
    #expect(census.alive == 1)
    withExtendedLifetime((idle, citizens)) {}
  }

  @Test
  func `a combination that had readers holds no cell in a reference cycle`() {
    let census = Census()
    do {
      let citizens = BindableActor(census.citizen())
      let context = ManualContext()
      let source = combineLatest(citizens, other)
      source.observe(on: context.delivery) { _ in }.cancel()
      context.run()
    }
    #expect(census.alive == 0)
  }

  // MARK: A reader that ends when nothing is left to read

  @Test
  func `an observer that ends by itself leaves no value in the combination`() {
    let (census, context) = (Census(), ManualContext())
    let citizens = BindableActor(census.citizen())
    let source = combineLatest(citizens, other)
    let token = source.prefix(1).observe(on: context.delivery) { _ in }
    context.run()
    #expect(token.hasEnded)
    citizens.send(census.citizen())
    #expect(census.alive == 1)
    withExtendedLifetime(source) {}
  }

  @Test
  func `an observer that ends by itself stops a relay in the combination`() {
    let (cell, context, clock) = (BindableActor(0), ManualContext(), ManualClock())
    let source = merge(cell.debounce(for: .seconds(3), clock: clock), other)
    let token = source.prefix(1).observe(on: context.delivery) { _ in }
    #expect(cell.observerCount == 1)
    context.run()
    #expect(token.hasEnded)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a bounded reader that remains after an unbounded observer has ended lets no log grow`() {
    let (census, context) = (Census(), ManualContext())
    let citizens = BindableActor(census.citizen())
    let source = combineLatest(citizens, other)
    let bounded = source.values(backlog: .bounded(2))
    let token = source.prefix(1).observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    #expect(token.hasEnded)
    for number in 1...100 { citizens.send(census.citizen(number)) }
    #expect(census.alive <= 4)
    withExtendedLifetime(bounded) {}
  }
}
