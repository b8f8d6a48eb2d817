import ActorBindings
import Testing

/// The cell of a key, when its readers come, go and look while other code writes the dictionary. That code runs inside a
/// comparison of keys, so one thread is enough.
@Suite
struct KeyFollowerTests {
  private let context = ManualContext()
  private let comparisons = Comparisons()
  private let seen = Recorder<Int?>()

  private var keys: (one: ReportingKey, two: ReportingKey) {
    (ReportingKey(1, comparisons), ReportingKey(2, comparisons))
  }

  // MARK: Readers

  @Test
  func `G4 a reader of all values can join readers of the newest`() async {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let newest = source.observe(on: context.delivery) { _ in }
    context.run()
    let all = source.values(backlog: .unbounded)
    prices.set(1, forKey: "a")
    prices.set(2, forKey: "a")
    prices.finish()
    #expect(await all.elements() == [0, 1, 2])
    newest.cancel()
  }

  @Test
  func `G11 a reader of all values can join after the end, before an older reader ends`() async {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let older = source.observe(on: context.delivery) { seen.record($0) }
    context.run()
    prices.finish()
    let all = source.values(backlog: .unbounded)
    #expect(await all.elements() == [0])
    context.run()
    #expect(seen.elements == [0])
    #expect(prices.observerCount == 0)
    older.cancel()
  }

  @Test
  func `G3 a reader that begins after the others have left receives all later values`() {
    let (one, _) = keys
    let prices = BindableDictionary([one: 0])
    let source = prices.source(forKey: one)
    let first = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    for price in 1...2 {
      context.run()
      prices.set(price, forKey: one)
    }
    context.run()
    first.cancel()
    context.run()
    let second = source.observe(on: context.delivery) { seen.record($0) }
    for price in 3...4 {
      context.run()
      prices.set(price, forKey: one)
    }
    context.run()
    #expect(seen.elements == [2, 3, 4])
    second.cancel()
  }

  @Test
  func `G5 what has piled up is read in portions when the reader of all values leaves`() {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let bounded = source.observe(on: context.delivery, backlog: .bounded(2)) { seen.record($0) }
    context.run()
    let writes = 3 * AnyJunction.longestPortion
    let cell = source.cursor.root.cell
    let begun = cell.watermark.version
    let all = source.observe(on: context.delivery, backlog: .unbounded) { _ in }
    // Only the first write brings the cell up to date: it wakes the lane, which has a turn to come from then on.
    context.run()
    for price in 1...writes { prices.set(price, forKey: "a") }
    #expect(cell.watermark.version < begun + UInt64(writes))
    all.cancel()
    #expect(cell.watermark.version == begun + UInt64(writes))
    context.run()
    #expect(seen.elements == [0, writes - 1, writes])
    bounded.cancel()
  }

  @Test
  func `G4 a reader that begins while the only other reader is being removed receives each later value`() {
    let prices = BindableDictionary(["a": 0])
    let source = prices.source(forKey: "a")
    let (later, first, second) = (ManualContext(), Box<BindingToken>(), Box<BindingToken>())
    first.value = source.observe(on: context.delivery, backlog: .unbounded) { [seen] price in
      guard price == 1 else { return }
      // It has its position until the lane removes it, after this call.
      first.value?.cancel()
      second.value = source.observe(on: later.delivery, backlog: .unbounded) { seen.record($0) }
    }
    context.run()
    prices.set(1, forKey: "a")
    context.run()
    later.run()
    prices.set(2, forKey: "a")
    later.run()
    #expect(seen.elements == [1, 2])
    second.value?.cancel()
    first.value = nil
  }

  @Test
  func `G6 a reader that begins while a batch is compared receives the value of the batch`() {
    let (one, _) = keys
    let prices = BindableDictionary([one: 0])
    let source = prices.source(forKey: one)
    let first = source.observe(on: context.delivery) { _ in }
    context.run()
    let second = Box<BindingToken>()
    prices.modify { prices in
      prices[one] = 1
      comparisons.onNext { [context, seen] in
        second.value = source.observe(on: context.delivery) { seen.record($0) }
        context.run()
      }
    }
    #expect(seen.elements == [1])
    [first, second.value].forEach { $0?.cancel() }
    context.run()
  }

  @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
  func `G15 a reader that a writer has woken looks and parks without the lock of the dictionary`(
    backlog: Backlog
  ) {
    let prices = BindableDictionary(["a": 0, "b": 0])
    let token = prices.source(forKey: "a").observe(on: context.delivery, backlog: backlog) { seen.record($0) }
    context.run()
    for price in 1...3 {
      prices.set(price, forKey: "a")
      prices.set(price, forKey: "b")
      // The process would end if the reader took this lock too.
      prices.cursor.cell.locked { _, _ in context.run() }
    }
    #expect(seen.elements == [0, 1, 2, 3])
    token.cancel()
  }

  @Test
  func `G3 a reader that was busy during a write looks again before it parks`() {
    let prices = BindableDictionary(["a": 0])
    let token = prices.source(forKey: "a").observe(on: context.delivery) { seen.record($0) }
    context.run()
    for price in [1, 4, 7] {
      // The first write wakes the lane, the others find it on its way.
      for next in price..<price + 3 { prices.set(next, forKey: "a") }
      context.run()
    }
    #expect(seen.elements == [0, 3, 6, 9])
    token.cancel()
  }

  // MARK: Answers

  @Test
  func `G2 an answer is not shown after newer writes of its chain`() async {
    let (one, two) = keys
    let prices = BindableDictionary([one: 0, two: 0])
    let source = prices.source(forKey: one)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    let cell = source.cursor.root.cell
    // A write to another key with this hash ends the chain.
    prices.set(1, forKey: two)
    prices.set(1, forKey: one)
    comparisons.onNext {
      // The first look learns to which key the chain belongs, so the second one needs no answer.
      cell.read(for: .reading) { _ in }
      prices.set(2, forKey: one)
      cell.read(for: .reading) { _ in }
    }
    cell.read(for: .reading) { _ in }
    #expect(await iterator.next() == 2)
  }

  @Test
  func `an answer as old as the last one counts, so the step ends`() async {
    let (one, two) = keys
    let prices = BindableDictionary([one: 0, two: 0])
    let source = prices.source(forKey: one)
    var iterator = source.values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    let cell = source.cursor.root.cell
    prices.set(1, forKey: one)
    prices.modify { prices in
      prices[one] = 2
      prices[two] = 2
      // Looks the keys up before they are in the log.
      comparisons.onNext { cell.read(for: .reading) { _ in } }
    }
    // The log ends with a chain that the follower does not know, but the dictionary is the same.
    cell.read(for: .reading) { _ in }
    #expect(await iterator.next() == 2)
  }

  @Test
  func `writes to another key with the same hash are compared once for a chain, and deliver nothing`() {
    let (one, two) = keys
    let prices = BindableDictionary([one: 0, two: 0])
    func comparisonsOfWrites() -> Int {
      let before = comparisons.count
      for price in 1...100 {
        prices.set(price, forKey: two)
        context.run()
      }
      return comparisons.count - before
    }
    let unwatched = comparisonsOfWrites()
    let token = prices.source(forKey: one).observe(on: context.delivery) { seen.record($0) }
    context.run()
    let watched = comparisonsOfWrites()
    #expect(watched < unwatched + 10)
    #expect(seen.elements == [0])
    token.cancel()
  }

  // MARK: Combinations and contexts

  @Test
  func `G5 a combination with a key counts the updates of the dictionary`() async {
    let prices = BindableDictionary(["a": 0])
    let factor = BindableActor(10)
    let product = combineLatest(prices.source(forKey: "a"), factor).map { ($0 ?? 0) * $1 }
    var iterator = product.updates().makeAsyncIterator()
    #expect(await iterator.next()?.version == 0)
    for price in 1...3 { prices.set(price, forKey: "a") }
    let update = await iterator.next()
    #expect(update?.value == 30)
    #expect(update?.version == 3)
    #expect(update?.skipped == 2)
  }

  @Test
  func `a combination with a key delivers nothing for a write to another key`() {
    let prices = BindableDictionary(["a": 1, "b": 1])
    let factor = BindableActor(10)
    let product = combineLatest(prices.source(forKey: "a"), factor).map { ($0 ?? 0) * $1 }
    let token = product.observe(on: context.delivery) { seen.record($0) }
    context.run()
    prices.set(2, forKey: "b")
    context.run()
    prices.set(2, forKey: "a")
    context.run()
    #expect(seen.elements == [10, 20])
    token.cancel()
  }

  @Test
  func `G7 observers on the cell run on the dictionary, and update calls those of the dictionary`() async {
    let prices = BindableDictionary(["a": 1])
    let whole = prices.observe(on: .cell) { seen.record($0["a"]) }
    await prices.update(["a": 2])
    #expect(seen.last == 2)
    whole.cancel()
    let ofKey = Recorder<Int?>()
    let key = prices.source(forKey: "a").observe(on: .cell) { price in
      prices.preconditionIsolated()
      ofKey.record(price)
    }
    await prices.settled()
    #expect(ofKey.elements == [2])
    await key.cancelAndWait()
  }
}
