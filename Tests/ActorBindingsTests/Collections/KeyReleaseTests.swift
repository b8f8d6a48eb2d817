import ActorBindings
import Testing

/// What the cell of a key holds is released without the lock of that cell: a deinit in these tests takes this lock.
@Suite
struct KeyReleaseTests {
  private let context = ManualContext()
  private let releases = Counter()

  // Its deinit takes the lock of `cell`.
  private func mortal(_ cell: AnyCell) -> Mortal {
    Mortal { [weak cell, releases] in cell?.locked { _ in _ = releases.add() } }
  }

  @Test
  func `G10 a value that only the cell of a key still holds is released without a lock`() {
    let prices = BindableDictionary(["a": Mortal {}])
    let source = prices.source(forKey: "a")
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    prices.set(mortal(source.cursor.root.cell), forKey: "a")
    // The cell shows the previous value until the reader looks.
    prices.set(Mortal {}, forKey: "a")
    #expect(releases.value == 0)
    context.run()
    #expect(releases.value == 1)
    token.cancel()
    context.run()
  }

  @Test
  func `G10 values that a bounded reader leaves out are released without a lock`() {
    let prices = BindableDictionary(["a": Mortal {}])
    let source = prices.source(forKey: "a")
    let token = source.observe(on: context.delivery, backlog: .bounded(2)) { _ in }
    context.run()
    for _ in 1...10 { prices.set(mortal(source.cursor.root.cell), forKey: "a") }
    #expect(releases.value > 2)
    token.cancel()
    context.run()
  }

  @Test
  func `G10 two values that one step replaces are released without a lock`() {
    let comparisons = Comparisons()
    let key = ReportingKey(1, comparisons)
    let prices = BindableDictionary([key: Mortal {}])
    let source = prices.source(forKey: key)
    let first = source.observe(on: context.delivery) { _ in }
    context.run()
    prices.set(mortal(source.cursor.root.cell), forKey: key)
    // The cell does not show the next writes yet. The removal makes the follower look the key up.
    prices.removeValue(forKey: key)
    prices.set(Mortal {}, forKey: key)
    #expect(releases.value == 0)
    comparisons.onNext { prices.set(Mortal {}, forKey: key) }
    // One step shows the result of the lookup, and then the write that came during the lookup.
    let second = source.observe(on: context.delivery, backlog: .bounded(2)) { _ in }
    #expect(releases.value == 1)
    [first, second].forEach { $0.cancel() }
    context.run()
  }

  @Test
  func `G10 the log of a hash is released without a lock while a reader reads it`() {
    let comparisons = Comparisons()
    let (one, two) = (ReportingKey(1, comparisons), ReportingKey(2, comparisons))
    let prices = BindableDictionary([one: Mortal {}, two: Mortal {}])
    let source = prices.source(forKey: one)
    let token = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    // From now on the lane has a turn to come, so the writers do not bring the cell up to date.
    prices.set(Mortal {}, forKey: one)
    for _ in 1...3 { prices.set(mortal(source.cursor.root.cell), forKey: two) }
    #expect(releases.value == 0)
    context.run()
    #expect(releases.value == 2)
    token.cancel()
    context.run()
  }

  @Test
  func `G10 the last reader releases the newest value and the log without a lock`() {
    struct Key: Hashable {
      let mortal: Mortal?
      static func == (one: Key, other: Key) -> Bool { true }
      func hash(into hasher: inout Hasher) {}
    }
    let prices = BindableDictionary([Key(mortal: nil): Mortal {}])
    let source = prices.source(forKey: Key(mortal: nil))
    let cell = source.cursor.root.cell
    let token = source.observe(on: context.delivery) { _ in }
    context.run()
    prices.set(mortal(cell), forKey: Key(mortal: mortal(cell)))
    // The log of the hash holds the key of the reader. The cell of the key still shows the previous value.
    prices.set(Mortal {}, forKey: Key(mortal: mortal(cell)))
    #expect(releases.value == 2)
    token.cancel()
    context.run()
    #expect(releases.value == 3)
    withExtendedLifetime(source) {}
  }

  @Test
  func `an answer for a reader that has left is not kept`() {
    let (comparisons, census) = (Comparisons(), Census())
    let (key, other) = (ReportingKey(1, comparisons), ReportingKey(2, comparisons))
    let prices = BindableDictionary([key: census.citizen(), other: census.citizen()])
    let source = prices.source(forKey: key)
    let reader = source.observe(on: context.delivery) { _ in }
    // The reader is not parked yet, so the writer does not look for it.
    prices.set(census.citizen(), forKey: other)
    comparisons.onNext { [context] in
      reader.cancel()
      context.run()
    }
    source.cursor.root.cell.read(for: .reading) { _ in }
    #expect(prices.observerCount == 0)
    prices.removeAll()
    #expect(census.alive == 0)
    withExtendedLifetime(source) {}
  }

  @Test
  func `G14 a bounded reader that lags keeps only its backlog`() {
    let census = Census()
    let prices = BindableDictionary(["a": census.citizen()])
    let source = prices.source(forKey: "a")
    let token = source.observe(on: context.delivery, backlog: .bounded(2)) { _ in }
    context.run()
    for number in 1...100 { prices.set(census.citizen(number), forKey: "a") }
    #expect(census.alive < 10)
    token.cancel()
    context.run()
  }

  @Test
  func `G14 nothing piles up when the reader of all values has left`() {
    let census = Census()
    let prices = BindableDictionary(["a": census.citizen()])
    let source = prices.source(forKey: "a")
    let newest = source.observe(on: context.delivery) { _ in }
    let all = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    all.cancel()
    context.run()
    for number in 1...100 { prices.set(census.citizen(number), forKey: "a") }
    #expect(census.alive < 10)
    newest.cancel()
    context.run()
  }

  @Test
  func `G13 a reader that has left is not kept by another watcher of its key`() {
    let prices = BindableDictionary(["a": 0])
    let seen = Recorder<Int?>()
    let stays = prices.source(forKey: "a").observe(on: context.delivery) { seen.record($0) }
    context.run()
    weak var left: AnyCell?
    do {
      let source = prices.source(forKey: "a")
      left = source.cursor.root.cell
      let token = source.observe(on: context.delivery) { _ in }
      context.run()
      token.cancel()
      context.run()
    }
    #expect(left == nil)
    prices.set(1, forKey: "a")
    context.run()
    #expect(seen.elements == [0, 1])
    stays.cancel()
  }

  @Test
  func `G13 the dictionary logs no writes once its last watcher has left`() {
    let comparisons = Comparisons()
    let key = ReportingKey(1, comparisons)
    let prices = BindableDictionary([key: 0])
    let source = prices.source(forKey: key)
    let second = Box<BindingToken>()
    // Both readers register with the dictionary, and one of them has to undo that.
    comparisons.onNext { [context] in second.value = source.observe(on: context.delivery) { _ in } }
    let first = source.observe(on: context.delivery) { _ in }
    context.run()
    // The readers look the key up again.
    prices.set(1, forKey: key)
    context.run()
    #expect(prices.cursor.cell.locked { state, _ in state.keepsHistory })
    [first, second.value].forEach { $0?.cancel() }
    context.run()
    #expect(!prices.cursor.cell.locked { state, _ in state.keepsHistory })
  }
}
