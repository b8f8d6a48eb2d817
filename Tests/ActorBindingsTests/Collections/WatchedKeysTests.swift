import ActorBindings
import Testing

/// The watched hashes of a dictionary: which writes reach them, in which order, and what is kept.
@Suite
struct WatchedKeysTests {
  private typealias Keys = WatchedKeysState<String, Int>

  private func write(_ element: Int, at version: UInt64) -> KeyWrite<String, Int> {
    KeyWrite("a", element, writeID: nil, formerWriteID: nil, version: version)
  }

  // Enters batches, which wait to be distributed.
  private func entered(_ count: UInt64, in keys: inout Keys) {
    for _ in 0..<count {
      keys.batchEntered(.whole(["a": 1], old: [:], version: keys.enteredCount + 1, .unordered))
    }
  }

  private func oldest(in keys: Keys) throws -> Keys.Batch {
    try #require(keys.oldestBatch(upTo: keys.enteredCount)?.batch)
  }

  // MARK: Events

  @Test
  func `a write to a watched key is distributed at once, and the node before it is handed out`() {
    var keys = Keys()
    let watched = keys.watcherJoined(1, at: 0).watched
    let first = watched.nodeWhileLocked()
    var outdated: WatchedHash<String, Int>.Node?
    guard case .distributed = keys.written(write(1, at: 1), hash: 1, &outdated) else {
      return #expect(Bool(false), "the write waits for no batch")
    }
    #expect(outdated === first)
    #expect(first.value == nil)
    #expect(first.next === watched.newestNode)
    #expect(watched.newest?.element == 1)
    #expect(keys.oldestBatch(upTo: 1)?.batch == nil)
  }

  @Test
  func `a write has a node only if a reader holds the node before it`() {
    var keys = Keys()
    let watched = keys.watcherJoined(1, at: 0).watched
    var outdated: WatchedHash<String, Int>.Node?
    func write(_ version: UInt64, after former: UInt64?) {
      outdated = nil
      let write = KeyWrite(
        "a",
        Int(version),
        writeID: WriteID(version),
        formerWriteID: former.map { WriteID($0) },
        version: version
      )
      _ = keys.written(write, hash: 1, &outdated)
    }
    write(1, after: nil)
    #expect(outdated == nil)
    let chain = watched.chain
    write(2, after: 1)
    #expect(outdated == nil)
    #expect(watched.newestNode == nil)
    #expect(watched.newest?.element == 2)
    #expect(watched.newest?.writeID == WriteID(2))
    #expect(watched.newest?.formerWriteID == WriteID(1))
    #expect(watched.newest?.version == 2)
    #expect(watched.newest?.chain == chain)
    #expect(watched.count == 2)
    var held: WatchedHash<String, Int>.Node? = watched.nodeWhileLocked()
    #expect(held === watched.nodeWhileLocked())
    write(3, after: 2)
    #expect(outdated === held)
    #expect(held?.value?.element == 2)
    #expect(held?.next != nil)
    #expect(held?.next === watched.newestNode)
    #expect(watched.newest?.element == 3)
    #expect(watched.newest?.chain == chain)
    // The reader has gone.
    held = nil
    write(4, after: 3)
    #expect(outdated?.value?.element == 3)
    #expect(watched.newestNode == nil)
    #expect(watched.newest?.element == 4)
    #expect(watched.chain == chain)
    // The entry was written in between, so another chain begins. The former write is handed out, to be released after
    // the lock.
    write(6, after: 5)
    #expect(outdated?.value?.element == 4)
    #expect(watched.newestNode == nil)
    #expect(watched.newest?.element == 6)
    #expect(watched.chain != chain)
    #expect(watched.count == 5)
  }

  @Test
  func `the entry that a watcher has found begins a chain, unless there was a write before`() {
    func entry(_ id: UInt64?) -> KeyWrite<String, Int> {
      KeyWrite("a", 7, writeID: id.map { WriteID($0) }, formerWriteID: nil, version: 5)
    }
    func next(after id: UInt64, version: UInt64 = 6) -> KeyWrite<String, Int> {
      KeyWrite("a", 8, writeID: WriteID(id + 1), formerWriteID: WriteID(id), version: version)
    }
    var keys = Keys()
    let watched = keys.watcherJoined(1, at: 5).watched
    let former = watched.chain
    #expect(!watched.beginChainWhileLocked(with: entry(nil)))
    #expect(watched.newest == nil)
    #expect(watched.chain == former)
    #expect(watched.beginChainWhileLocked(with: entry(1)))
    #expect(watched.newest?.element == 7)
    #expect(watched.newest?.chain == watched.chain)
    #expect(watched.chain == WatchedHash<String, Int>.chainOfFoundEntry)
    #expect(watched.chain != former)
    #expect(watched.count == 0)
    #expect(!watched.beginChainWhileLocked(with: entry(2)))
    var outdated: WatchedHash<String, Int>.Node?
    _ = keys.written(next(after: 1), hash: 1, &outdated)
    #expect(outdated == nil)
    #expect(watched.newest?.element == 8)
    #expect(watched.newest?.chain == watched.chain)
    #expect(watched.chain == WatchedHash<String, Int>.chainOfFoundEntry)
    #expect(watched.count == 1)
    #expect(!watched.beginChainWhileLocked(with: entry(3)))
    // The entry includes a batch that is not in the log yet: the batch has not replaced the entry.
    let other = keys.watcherJoined(2, at: 4).watched
    #expect(other.beginChainWhileLocked(with: entry(1)))
    _ = other.addWhileLocked(next(after: 4, version: 5), &outdated)
    #expect(outdated?.value?.element == 7)
    #expect(other.chain == 1)
    // A reader that wants all writes holds a node already.
    let held = keys.watcherJoined(3, at: 5).watched
    withExtendedLifetime(held.nodeWhileLocked()) {
      #expect(!held.beginChainWhileLocked(with: entry(1)))
    }
    #expect(held.newest == nil)
  }

  @Test
  func `a write that the first watcher has found in the dictionary does not enter the log`() {
    var keys = Keys()
    let watched = keys.watcherJoined(1, at: 5).watched
    let count = watched.count
    var outdated: WatchedHash<String, Int>.Node?
    _ = keys.written(write(5, at: 5), hash: 1, &outdated)
    #expect(watched.newest == nil)
    #expect(watched.count == count)
    _ = keys.written(write(6, at: 6), hash: 1, &outdated)
    #expect(watched.newest?.element == 6)
  }

  @Test
  func `a batch is distributed once, is not kept, and hands out the outdated nodes`() throws {
    var keys = Keys()
    let watched = keys.watcherJoined(1, at: 0).watched
    let first = watched.nodeWhileLocked()
    entered(2, in: &keys)
    var batch: Keys.Batch? = try oldest(in: keys)
    weak let left = batch
    let writes = [Keys.HashedWrite(write: write(1, at: 1), hash: 1)]
    let outcome = keys.distributed(batch!, writes, isFinished: true)
    #expect(outcome.outdated.count == 1)
    #expect(outcome.outdated.first === first)
    #expect(!outcome.isLast)
    // The dictionary has ended, but the watchers have not received everything yet.
    #expect(!outcome.isEnd)
    let late = keys.distributed(batch!, writes, isFinished: true)
    #expect(late.outdated.isEmpty)
    #expect(!late.isLast)
    #expect(!late.isEnd)
    batch = nil
    #expect(left == nil)
    #expect(watched.newest?.version == 1)
  }

  @Test(arguments: [false, true])
  func `the last batch of a dictionary that has ended is the end`(isFinished: Bool) throws {
    var keys = Keys()
    _ = keys.watcherJoined(1, at: 0)
    entered(1, in: &keys)
    let batch = try oldest(in: keys)
    let outcome = keys.distributed(batch, [], isFinished: isFinished)
    #expect(outcome.isLast)
    #expect(outcome.isEnd == isFinished)
    // Another writer has compared the same batch.
    let late = keys.distributed(batch, [], isFinished: isFinished)
    #expect(!late.isLast)
    #expect(!late.isEnd)
    #expect(keys.enteredCount == 1)
  }

  @Test
  func `the queue stays short although batches always wait`() throws {
    var keys = Keys()
    _ = keys.watcherJoined(1, at: 0)
    entered(1, in: &keys)
    var longest = 0
    for _ in 1...1_000 {
      entered(1, in: &keys)
      let batch = try oldest(in: keys)
      _ = keys.distributed(batch, [], isFinished: false)
      let queue = Mirror(reflecting: keys).descendant("batches")
      longest = max(longest, try Mirror(reflecting: #require(queue)).children.count)
    }
    #expect(!keys.isDistributed)
    #expect(longest > 0)
    #expect(longest < 200)
  }

  @Test
  func `a hash is watched until the last of its watchers has left`() {
    var keys = Keys()
    let watched = keys.watcherJoined(1, at: 0).watched
    let second = keys.watcherJoined(1, at: 3)
    #expect(second.watched === watched)
    #expect(!second.isFirst)
    let isUnwatched = keys.watcherLeft(watched)
    #expect(!isUnwatched)
    #expect(keys.hashes[1] === watched)
    let isUnwatchedNow = keys.watcherLeft(watched)
    #expect(isUnwatchedNow)
    #expect(keys.hashes.isEmpty)
  }

  // MARK: Distributing

  @Test
  func `G4 watchers of keys with one hash learn of a batch that changes many keys`() {
    let (comparisons, context) = (Comparisons(), ManualContext())
    let keys = (0..<40).map { ReportingKey($0, comparisons) }
    let prices = BindableDictionary(Dictionary(uniqueKeysWithValues: keys.map { ($0, 0) }))
    let watched = [keys[0], keys[20], keys[39]]
    let seen = watched.map { _ in Recorder<Int?>() }
    let tokens = zip(watched, seen).map { key, seen in
      prices.source(forKey: key).observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    }
    context.run()
    let entries = prices.value
    prices.removeAll()
    context.run()
    prices.send(entries)
    context.run()
    prices.modify { prices in
      for key in keys { prices[key] = 1 }
    }
    context.run()
    for seen in seen { #expect(seen.elements == [0, nil, 0, 1]) }
    tokens.forEach { $0.cancel() }
  }

  @Test
  func `G16 a writer of the whole dictionary leaves later batches to their own writers`() {
    let (comparisons, context) = (Comparisons(), ManualContext())
    let key = ReportingKey(1, comparisons)
    let prices = BindableDictionary([key: 0])
    let token = prices.source(forKey: key).observe(on: context.delivery) { _ in }
    context.run()
    let (cell, batches) = (prices.cursor.cell, Counter())
    // Enters a batch at each comparison, as a writer does under the lock, and does not distribute it.
    @Sendable func enter() {
      if batches.add() > 100 { return }
      var copy = cell.value
      copy[key] = batches.value
      _ = cell.locked { $0.sent(&copy, &$1) }
      comparisons.onNext(enter)
    }
    prices.modify { prices in
      prices[key] = -1
      comparisons.onNext(enter)
    }
    #expect(batches.value < 20)
    comparisons.onNext(nil)
    token.cancel()
    context.run()
  }

  // MARK: The end

  @Test
  func `G11 the end of the dictionary wakes parked watchers and the waiters for the end`() {
    let (context, ended) = (ManualContext(), Counter())
    let prices = BindableDictionary(["a": 0, "b": 0])
    prices.cursor.cell.joinEnd(EndWaiter { ended.add() })
    func watched() -> [BindingToken] {
      ["a", "b"].map { prices.source(forKey: $0).observe(on: context.delivery) { _ in } }
    }
    // The second time, the dictionary has waited for the end before.
    for token in watched() {
      context.run()
      token.cancel()
    }
    let tokens = watched()
    context.run()
    prices.finish()
    #expect(ended.value == 1)
    context.run()
    #expect(prices.observerCount == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `G11 all watchers end after the batch that was being compared at the end`() {
    let (context, comparisons, seen) = (ManualContext(), Comparisons(), Recorder<Int?>())
    let (one, two) = (ReportingKey(1, bucket: 1, comparisons), ReportingKey(2, bucket: 2, comparisons))
    let prices = BindableDictionary([one: 0, two: 0])
    let tokens = [
      prices.source(forKey: one).observe(on: context.delivery) { seen.record($0) },
      prices.source(forKey: two).observe(on: context.delivery) { _ in },
    ]
    context.run()
    prices.modify { entries in
      entries[one] = 1
      comparisons.onNext {
        prices.finish()
        context.run()
      }
    }
    context.run()
    #expect(seen.elements == [0, 1])
    #expect(prices.observerCount == 0)
    withExtendedLifetime(tokens) {}
  }
}
