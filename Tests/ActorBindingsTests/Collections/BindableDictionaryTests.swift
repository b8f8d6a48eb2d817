import ActorBindings
import Testing

@Suite
struct BindableDictionaryTests {
  @Test
  func `G2 each change is an update`() {
    let prices = BindableDictionary(["a": 1, "b": 2])
    prices.set(3, for: "c")
    #expect(prices.removeValue(for: "a") == 1)
    #expect(prices.removeValue(for: "a") == nil)
    prices.modify("b") { $0 = ($0 ?? 0) + 10 }
    prices.modify { prices in
      prices["d"] = 4
      prices["c"] = nil
    }
    #expect(Dictionary(prices.value) == ["b": 12, "d": 4])
    #expect(prices["b"] == 12)
    #expect(prices.version == 5)
    prices.removeAll()
    #expect(prices.value.isEmpty)
  }

  @Test
  func `G5 who lags behind is told one change for all that he missed, and how much it was`() {
    let prices = BindableDictionary(Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, 0) }))
    let context = ManualContext()
    let seen = Recorder<DictionaryChange<Int, Int>>()
    let token = prices.observeChanges(on: context.delivery) { seen.record($0) }
    context.run()
    for turn in 1...10_000 { prices.set(turn, for: turn % 10) }
    context.run()
    #expect(seen.count == 2)
    #expect(seen.last?.skipped == 9_999)
    guard case .edits(let edits)? = seen.last?.content else {
      Issue.record("ten keys of a thousand were handed over as a whole")
      return
    }
    #expect(edits.count == 10)
    token.cancel()
  }

  @Test
  func `sending equal values keeps them`() {
    let prices = BindableDictionary(["a": 1, "b": 2, "c": 3])
    let before = prices.value
    prices.send(["a": 1, "b": 5, "d": 4])
    let edits = prices.value.edits(from: before).sorted { $0.key < $1.key }
    #expect(
      edits == [
        .update(key: "b", value: 5, old: 2), .remove(key: "c", value: 3), .insert(key: "d", value: 4),
      ]
    )
  }

  @Test
  func `a watcher of a key is woken by this key alone`() {
    let prices = BindableDictionary(["a": 1, "b": 2])
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let token = prices[source: "a"].observe(on: context.delivery) { seen.record($0) }
    context.run()
    prices.set(5, for: "b")
    prices.set(6, for: "c")
    #expect(context.pending == 0)
    prices.set(7, for: "a")
    #expect(context.pending == 1)
    context.run()
    prices.removeValue(for: "a")
    context.run()
    prices.removeAll()
    prices.send(["a": 8])
    context.run()
    #expect(seen.elements == [1, 7, nil, 8])
    token.cancel()
  }

  @Test
  func `the value of a key is a state`() {
    let prices = BindableDictionary(["a": 1])
    let price = prices[source: "a"]
    #expect(price.value == 1)
    prices.set(2, for: "a")
    #expect(price.value == 2)
    #expect(price.map { ($0 ?? 0) * 10 }.value == 20)
    #expect(prices.observerCount == 0)
  }

  @Test
  func `G4 a watcher who wants all is told each value`() async {
    let prices = BindableDictionary(["a": 0])
    let all = prices[source: "a"].values(backlog: .unbounded)
    for price in 1...100 {
      prices.set(price, for: "a")
      prices.set(price, for: "b")
    }
    prices.finish()
    var seen: [Int?] = []
    for await price in all { seen.append(price) }
    #expect(seen == Array(0...100))
  }

  @Test
  func `G13 nothing is observed when nobody watches any more`() {
    let prices = BindableDictionary(["a": 1])
    let context = ManualContext()
    let first = prices[source: "a"].observe(on: context.delivery) { _ in }
    let second = prices[source: "b"].observe(on: context.delivery) { _ in }
    #expect(prices.observerCount == 1)
    first.cancel()
    #expect(prices.observerCount == 1)
    second.cancel()
    #expect(prices.observerCount == 0)
  }

  @Test
  func `G11 watchers end with the dictionary`() async {
    var prices: BindableDictionary? = BindableDictionary(["a": 1])
    let price = prices?[source: "a"]
    let stream = price?.values(backlog: .unbounded)
    prices?.set(2, for: "a")
    prices = nil
    var seen: [Int?] = []
    if let stream { for await value in stream { seen.append(value) } }
    #expect(seen == [1, 2])
    var late: [Int?] = []
    if let price { for await value in price.values { late.append(value) } }
    #expect(late == [2])
  }

  @Test
  func `G10 a watcher may write the dictionary`() {
    let prices = BindableDictionary(["a": 1])
    let context = ManualContext()
    let token = prices[source: "a"].observe(on: context.delivery) { price in
      if let price, price < 5 { prices.set(price + 1, for: "a") }
    }
    context.run()
    #expect(prices["a"] == 5)
    token.cancel()
  }
}

@Suite
struct KeyWatcherStressTests {
  @Test
  func `G3 G4 watchers of keys that many tasks write are told each value, in order`() async {
    let cells = BindableDictionary<Int, Int>()
    let keys = 8
    let rounds = 500 * stressScale
    await withTaskGroup(of: Void.self) { group in
      for key in 0..<keys {
        let all = cells[source: key].values(backlog: .unbounded)
        group.addTask {
          var seen: [Int?] = []
          for await value in all {
            seen.append(value)
            if value == rounds { break }
          }
          #expect(seen == [nil] + Array(1...rounds))
        }
        group.addTask {
          for await value in cells[source: key].values where value == rounds { break }
        }
        group.addTask {
          for value in 1...rounds { cells.set(value, for: key) }
        }
      }
    }
    #expect(cells.observerCount == 0)
  }
}
