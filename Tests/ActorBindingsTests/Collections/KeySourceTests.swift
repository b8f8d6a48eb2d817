import ActorBindings
import Dispatch
import Synchronization
import Testing

/// Tests sources of single keys: in combinations, and their costs. The tests are serialized, because the keys share one
/// counter.
@Suite(.serialized)
struct KeySourceTests {
  @Test
  func `G2 a combination with a key that has no reader has a value`() {
    let prices = BindableDictionary(["a": 1])
    let factor = BindableActor(10)
    let product = combineLatest(prices.source(forKey: "a"), factor).map { ($0 ?? 0) * $1 }
    #expect(product.value == 10)
    prices.set(2, forKey: "a")
    #expect(product.value == 20)
    let nested = combineLatest(product, combineLatest(prices.source(forKey: "a"), prices.source(forKey: "b")))
    #expect(nested.value.0 == 20)
    #expect(nested.value.1 == (2, nil))
  }

  @Test
  func `G2 elements are filtered by a key that has no reader`() {
    let limits = BindableDictionary(["low": 2])
    let numbers = BindableArray([1, 2, 3])
    let predicate = limits.source(forKey: "low").map { limit in
      { @Sendable (number: Int) in number > limit ?? 0 }
    }
    let found = numbers.filterElements(by: predicate)
    #expect(Array(found.value) == [3])
    limits.set(1, forKey: "low")
    #expect(Array(found.value) == [2, 3])
  }

  @Test
  func `G2 an action reads the state of its key, whether the key has readers or not`() async throws {
    let flags = BindableDictionary(["writes": true])
    let save = AsyncAction(
      isEnabled: combineLatest(flags.source(forKey: "writes"), BindableActor(0)).map { $0.0 ?? false }
    ) {
      (number: Int) in number
    }
    #expect(try await save.execute(1) == 1)
    let reader = save.isEnabled.observe(on: ManualContext().delivery) { _ in }
    flags.set(false, forKey: "writes")
    await #expect(throws: ActionRefusal.disabled) { try await save.execute(2) }
    reader.cancel()
  }

  @Test
  func `settled waits for the watchers of keys`() async {
    let prices = BindableDictionary(["a": 0])
    let queue = DispatchQueue(label: "watcher")
    let seen = Recorder<Int?>()
    let token = prices.source(forKey: "a").observe(on: .queue(queue)) { seen.record($0) }
    for price in 1...100 {
      prices.set(price, forKey: "a")
      await prices.settled()
      #expect(seen.elements.last == price)
    }
    token.cancel()
  }

  @Test
  func `each reader of a key counts as an observer of the dictionary`() {
    let prices = BindableDictionary(["a": 0])
    let context = ManualContext()
    let price = prices.source(forKey: "a")
    let tokens = (0..<3).map { _ in price.observe(on: context.delivery) { _ in } }
    context.run()
    #expect(prices.observerCount == 3)
    tokens.forEach { $0.cancel() }
    context.run()
    #expect(prices.observerCount == 0)
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `versions of a key count each write if a reader wants each write`(backlog: Backlog) {
    let prices = BindableDictionary(["a": 0])
    let (context, other) = (ManualContext(), ManualContext())
    let price = prices.source(forKey: "a")
    let skipped = Recorder<Int>()
    let tokens = [
      price.versioned().observe(on: context.delivery) { skipped.record($0.skipped) },
      price.observe(on: other.delivery, backlog: backlog) { _ in },
    ]
    for busy in [context, other] { busy.run() }
    for value in 1...5 { prices.set(value, forKey: "a") }
    for busy in [context, other] { busy.run() }
    // The first write wakes the parked readers, and the others find them busy.
    #expect(skipped.elements == (backlog == .latest ? [0, 1] : [0, 4]))
    tokens.forEach { $0.cancel() }
  }

  @Test
  func `G12 a write to a key without watchers is not kept`() {
    var keys = WatchedKeysState<String, Int>()
    let watched = keys.watcherJoined(1, at: 0).watched
    var outdated: WatchedHash<String, Int>.Node?
    for version in 1...100 {
      let write = KeyWrite("b", version, writeID: nil, formerWriteID: nil, version: UInt64(version))
      guard case .notWatched = keys.written(write, hash: 2, &outdated) else {
        return #expect(Bool(false), "write \(version) was kept")
      }
    }
    #expect(keys.isDistributed)
    #expect(outdated == nil)
    let isUnwatched = keys.watcherLeft(watched)
    #expect(isUnwatched)
  }

  @Test
  func `a write that comes while a batch is compared waits behind it`() {
    var keys = WatchedKeysState<String, Int>()
    let joined = keys.watcherJoined(1, at: 0)
    let watched = joined.watched
    #expect(joined.isFirst)
    keys.batchEntered(.whole(["a": 1], old: [:], version: 1, .unordered))
    var outdated: WatchedHash<String, Int>.Node?
    let second = KeyWrite("a", 2, writeID: nil, formerWriteID: nil, version: 2)
    guard case .waitsBehindBatch = keys.written(second, hash: 1, &outdated) else {
      return #expect(Bool(false), "the write overtook the batch")
    }
    guard let batch = keys.oldestBatch(upTo: keys.enteredCount)?.batch else {
      return #expect(Bool(false), "no batch waits")
    }
    let first = KeyWrite("a", 1, writeID: nil, formerWriteID: nil, version: 1)
    let outcome = keys.distributed(batch, [.init(write: first, hash: 1)], isFinished: false)
    #expect(!outcome.isLast)
    // A second writer has compared the same batch, and comes too late with its result.
    let late = keys.distributed(batch, [.init(write: first, hash: 1)], isFinished: false)
    #expect(late.outdated.isEmpty)
    guard let last = keys.oldestBatch(upTo: keys.enteredCount)?.batch else {
      return #expect(Bool(false), "the write is lost")
    }
    let end = keys.distributed(last, [.init(write: second, hash: 1)], isFinished: false)
    #expect(end.isLast)
    #expect(keys.isDistributed)
    let isUnwatched = keys.watcherLeft(watched)
    #expect(isUnwatched)
  }

  @Test
  func `G9 registrations of dead owners that watched keys do not accumulate`() {
    final class Owner: Sendable {}
    let prices = BindableDictionary((0..<500).map { ("\($0)", $0) }.reduce(into: [:]) { $0[$1.0] = $1.1 })
    let context = ManualContext()
    var counts: [Int] = []
    for _ in 0..<8 {
      do {
        let owners = (0..<500).map { _ in Owner() }
        for (number, owner) in owners.enumerated() {
          prices.source(forKey: "\(number)").observe(owner, on: context.delivery) { _, _ in }
        }
        context.run()
      }
      context.run()
      counts.append(prices.observerCount)
    }
    #expect(counts.allSatisfy { $0 <= 1_500 }, "\(counts)")
  }

  @Test(arguments: [2_000, 8_000])
  func `a writer of the whole dictionary examines the watched keys, and not every change`(count: Int) {
    let prices = BindableDictionary((0..<count).reduce(into: [CountedKey: Int]()) { $0[CountedKey($1)] = $1 })
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let token = prices.source(forKey: CountedKey(7)).observe(on: context.delivery) { seen.record($0) }
    context.run()
    let before = CountedKey.work
    prices.removeAll()
    #expect(CountedKey.work - before < 200)
    context.run()
    #expect(seen.elements == [7, nil])
    token.cancel()
  }

  @Test(arguments: [2_000, 8_000])
  func `watchers of one key come and go without examining the others`(count: Int) {
    let prices = BindableDictionary([CountedKey(1): 1])
    let context = ManualContext()
    let before = CountedKey.work
    let tokens = (0..<count).map { _ in
      prices.source(forKey: CountedKey(1)).observe(on: context.delivery) { _ in }
    }
    context.run()
    tokens.forEach { $0.cancel() }
    context.run()
    #expect(CountedKey.work - before < 20 * count)
    #expect(prices.observerCount == 0)
  }

  @Test
  func `a late watcher receives the newest value of its key, not of another key with the same hash`() {
    struct Clash: Hashable {
      let name: String
      func hash(into hasher: inout Hasher) {}
    }
    let prices = BindableDictionary([Clash(name: "a"): 0, Clash(name: "b"): 0])
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let token = prices.source(forKey: Clash(name: "a")).observe(on: context.delivery) { seen.record($0) }
    context.run()
    prices.set(1, forKey: Clash(name: "a"))
    prices.set(2, forKey: Clash(name: "b"))
    context.run()
    prices.set(3, forKey: Clash(name: "b"))
    context.run()
    #expect(seen.elements == [0, 1])
    token.cancel()
  }

  @Test
  func `a long history is read in portions, and the lock is released between them`() async {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let all = source.values(backlog: .unbounded)
    let writes = 4 * AnyJunction.longestPortion
    for price in 1...writes { prices.set(price, forKey: "a") }
    let cell = source.cursor.root.cell
    let begun = cell.watermark.version
    let read = Recorder<UInt64>()
    let witness = EndWaiter { read.record(cell.watermark.version - begun) }
    cell.locked { $0.parked(witness) }
    var newest = source.values.makeAsyncIterator()
    #expect(await newest.next() == writes)
    #expect(read.elements == [UInt64(AnyJunction.longestPortion)])
    prices.finish()
    #expect(await all.elements() == Array(0...writes))
  }

  @Test
  func `a step reads what existed when it began, while writers continue`() async {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let all = source.values(backlog: .unbounded)
    let portion = AnyJunction.longestPortion
    for price in 1...4 * portion { prices.set(price, forKey: "a") }
    let (cell, wakes, witness) = (source.cursor.root.cell, Counter(), Box<EndWaiter>())
    witness.value = EndWaiter {
      wakes.add()
      if wakes.value > 100 { return }
      for price in 1...portion { prices.set(price, forKey: "a") }
      if let witness = witness.value { cell.locked { $0.parked(witness) } }
    }
    cell.locked { $0.parked(witness.value!) }
    var newest = source.values.makeAsyncIterator()
    // The iterator takes its position in one step, and reads in the next step. That step finds what was written during
    // the first step.
    let first = await newest.next() ?? nil
    #expect(first == portion)
    #expect(wakes.value == 8)
    // The witness and the cell hold each other.
    if let witness = witness.value { cell.locked { _ = $0.unparked(witness) } }
    witness.value = nil
    withExtendedLifetime(all) {}
  }

  @Test
  func `G3 a reader that compares keys does not park without a last check while another reader reads`() async
  {
    let (one, two) = (HookedKey(1), HookedKey(2))
    let prices = BindableDictionary([one: 0, two: 0])
    let source = prices.source(forKey: one)
    var iterator = source.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    let cell = source.cursor.root.cell
    let seen = cell.watermark.version
    prices.set(1, forKey: two)
    HookedKey.hook = {
      // Reads what the first reader was about to read, so nothing is left for the first reader.
      cell.read(for: .reading) { _ in }
      prices.set(9, forKey: one)
    }
    // In this step the reader parks if it has seen everything.
    let mayPark = cell.read(for: .reading) { $0.isIdle(at: seen) }
    #expect(!mayPark)
    #expect(await iterator.next() == 9)
  }

  @Test
  func `G3 the first reader of a key receives a write that comes while it looks the key up`() {
    let key = HookedKey(1)
    let prices = BindableDictionary([key: 0])
    let (context, seen) = (ManualContext(), Recorder<Int?>())
    HookedKey.hook = { prices.set(1, forKey: key) }
    let token = prices.source(forKey: key).observe(on: context.delivery) { seen.record($0) }
    context.run()
    #expect(seen.elements.last == 1)
    prices.set(2, forKey: key)
    context.run()
    #expect(seen.elements.last == 2)
    token.cancel()
    #expect(prices.observerCount == 0)
  }

  @Test
  func `G3 two readers of one source begin at once, and share its registration`() throws {
    let key = HookedKey(1)
    let prices = BindableDictionary([key: 0])
    let source = prices.source(forKey: key)
    let (context, first, second) = (ManualContext(), Recorder<Int?>(), Recorder<Int?>())
    let faster = Guarded<BindingToken?>(nil)
    HookedKey.hook = {
      let token = source.observe(on: context.delivery) { second.record($0) }
      faster.withLock { $0 = token }
    }
    let slower = source.observe(on: context.delivery) { first.record($0) }
    context.run()
    #expect(first.elements == [0])
    #expect(second.elements == [0])
    prices.set(1, forKey: key)
    context.run()
    #expect(first.elements == [0, 1])
    #expect(second.elements == [0, 1])
    #expect(prices.observerCount == 2)
    try #require(faster.withLock { $0 }).cancel()
    prices.set(2, forKey: key)
    context.run()
    #expect(first.elements == [0, 1, 2])
    slower.cancel()
    #expect(prices.observerCount == 0)
  }

  @Test
  func `G4 a reader of all values that joins a watched key misses no write`() async {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let (context, seen) = (ManualContext(), Recorder<Int?>())
    let token = source.observe(on: context.delivery) { seen.record($0) }
    context.run()
    for price in 1...3 {
      prices.set(price, forKey: "a")
      context.run()
    }
    #expect(seen.elements == [0, 1, 2, 3])
    var all = source.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await all.next() == 3)
    for price in 4...9 { prices.set(price, forKey: "a") }
    for price in 4...9 { #expect(await all.next() == price) }
    context.run()
    #expect(seen.elements.last == 9)
    token.cancel()
  }

  @Test
  func `G2 an older look-up does not replace a newer look-up`() async {
    let key = HookedKey(1)
    let prices = BindableDictionary([key: 0])
    let source = prices.source(forKey: key)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    let cell = source.cursor.root.cell
    // A new entry begins a new chain.
    prices.removeValue(forKey: key)
    prices.set(1, forKey: key)
    let versions = Recorder<UInt64>()
    @Sendable func look() {
      cell.read(for: .reading) { versions.record($0.version) }
    }
    HookedKey.hook = {
      // This batch is written after the look-up of the step below, and is looked up before that step continues. The
      // batch is not distributed.
      prices.modify { prices in
        prices[key] = 2
        HookedKey.hook = look
      }
    }
    look()
    // The second look-up has published 2; the first look-up, whose step ends later, publishes nothing.
    #expect(versions.elements.count == 2)
    #expect(Set(versions.elements).count == 1)
    #expect(await iterator.next() == 2)
  }

  @Test
  func `objects that a step drops are released after the lock`() async {
    let prices = BindableDictionary(["a": Witness(nil)])
    let source = prices.source(forKey: "a")
    let (cell, context) = (source.cursor.root.cell, ManualContext())
    let releases = Counter()
    let token = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    context.run()
    for _ in 1...4 * AnyJunction.longestPortion {
      // The deinit of this object takes the lock of the cell.
      prices.set(Witness { cell.locked { _ in _ = releases.add() } }, forKey: "a")
    }
    let waiter = EndWaiter {
      prices.set(Witness(nil), forKey: "a")
      context.run()
    }
    cell.locked { $0.parked(waiter) }
    cell.read(for: .reading) { _ in }
    #expect(releases.value == 4 * AnyJunction.longestPortion)
    token.cancel()
    context.run()
  }

  @Test
  func `the result for a hash that is not watched any more is not used`() async {
    let (one, two) = (HookedKey(1), HookedKey(2))
    let prices = BindableDictionary([one: 0, two: 0])
    let source = prices.source(forKey: one)
    let streams = Guarded(noStreams(of: source))
    let context = ManualContext()
    let reader = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    // The reader is not parked yet, so the writer does not compare the written key: a later step of the reader does.
    prices.set(1, forKey: one)
    HookedKey.hook = {
      reader.cancel()
      streams.withLock { $0.append(source.values(backlog: .unbounded)) }
      prices.set(9, forKey: two)
    }
    source.cursor.root.cell.read(for: .reading) { _ in }
    let stream = streams.withLock { $0[0] }
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 1)
    prices.set(3, forKey: one)
    #expect(await iterator.next() == 3)
  }

  @Test(arguments: [Backlog.latest, .unbounded])
  func `a reader can begin while the key is removed and set again`(backlog: Backlog) {
    let (key, context, comparisons) = (HookedKey(1), ManualContext(), Counter())
    let prices = BindableDictionary([key: 0])
    let source = prices.source(forKey: key)
    let first = source.observe(on: context.delivery) { _ in }
    context.run()
    @Sendable func write() {
      if comparisons.add() > 10_000 { return }
      prices.removeValue(forKey: key)
      prices.set(comparisons.value, forKey: key)
      HookedKey.hook = write
    }
    write()
    let second = source.observe(on: context.delivery, backlog: backlog) { _ in }
    #expect(comparisons.value < 100)
    HookedKey.hook = nil
    [first, second].forEach { $0.cancel() }
    context.run()
  }

  @Test
  func `a writer distributes only what was entered before it`() {
    var keys = WatchedKeysState<String, Int>()
    let watched = keys.watcherJoined(1, at: 0).watched
    keys.batchEntered(.whole(["a": 1], old: [:], version: 1, .unordered))
    let entered = keys.enteredCount
    // Other writers enter batches meanwhile.
    for version in 2...1_000 as ClosedRange<UInt64> {
      keys.batchEntered(.whole(["a": 1], old: [:], version: version, .unordered))
      guard let oldest = keys.oldestBatch(upTo: keys.enteredCount)?.batch else { break }
      _ = keys.distributed(oldest, [], isFinished: false)
      #expect(keys.oldestBatch(upTo: entered)?.batch == nil)
    }
    #expect(keys.enteredCount == 1_000)
    #expect(!keys.isDistributed)
    guard let last = keys.oldestBatch(upTo: 1_000)?.batch else {
      return #expect(Bool(false), "a batch is lost")
    }
    let outcome = keys.distributed(last, [], isFinished: false)
    #expect(outcome.isLast)
    _ = keys.watcherLeft(watched)
  }
}

/// An object that calls a closure when it is released.
private final class Witness: Sendable {
  private let onRelease: (@Sendable () -> Void)?

  init(_ onRelease: (@Sendable () -> Void)?) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease?()
  }
}

/// A key that has the same hash as all others, and reports its next comparison.
private struct HookedKey: Hashable, Sendable {
  private static let next = Guarded<(@Sendable () -> Void)?>(nil)
  static var hook: (@Sendable () -> Void)? {
    get { next.withLock { $0 } }
    set { next.withLock { $0 = newValue } }
  }

  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  static func == (one: HookedKey, other: HookedKey) -> Bool {
    let hook = next.withLock { $0.take() }
    hook?()
    return one.number == other.number
  }

  func hash(into hasher: inout Hasher) {}
}

/// A key that counts how often it is hashed and compared.
private struct CountedKey: Hashable, Sendable {
  private static let count = Atomic(0)
  static var work: Int { count.load(ordering: .relaxed) }

  let number: Int

  init(_ number: Int) {
    self.number = number
  }

  static func == (one: CountedKey, other: CountedKey) -> Bool {
    count.add(1, ordering: .relaxed)
    return one.number == other.number
  }

  func hash(into hasher: inout Hasher) {
    Self.count.add(1, ordering: .relaxed)
    hasher.combine(number)
  }
}

/// Returns an empty list for streams of `source`. The caller cannot write the type of these streams.
private func noStreams<Source: BindingSource>(of source: Source) -> [BindingStream<Source.Cursor>] { [] }
