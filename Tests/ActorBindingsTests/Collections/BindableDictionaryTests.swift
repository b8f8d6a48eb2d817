import ActorBindings
import Testing

@Suite
struct BindableDictionaryTests {
  @Test
  func `G2 each change is an update`() {
    let prices = BindableDictionary(["a": 1, "b": 2])
    prices.set(3, forKey: "c")
    #expect(prices.removeValue(forKey: "a") == 1)
    #expect(prices.removeValue(forKey: "a") == nil)
    prices.modify(forKey: "b") { $0 = ($0 ?? 0) + 10 }
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
  func `G5 a reader that lags receives one change for all that it missed, and the number of updates`() {
    let prices = BindableDictionary(Dictionary(uniqueKeysWithValues: (0..<1000).map { ($0, 0) }))
    let context = ManualContext()
    let seen = Recorder<DictionaryChange<Int, Int>>()
    let token = prices.changes.observe(on: context.delivery) { seen.record($0) }
    context.run()
    for turn in 1...10_000 { prices.set(turn, forKey: turn % 10) }
    context.run()
    #expect(seen.count == 2)
    #expect(seen.last?.skipped == 9_999)
    guard case .edits(let edits)? = seen.last?.content else {
      Issue.record("ten keys of a thousand were delivered as a reset")
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
  func `sendIfChanged does not send an equal collection`() {
    let prices = BindableDictionary(["a": 1, "b": 2])
    let before = prices.value
    #expect(!prices.sendIfChanged(["b": 2, "a": 1]))
    #expect(!prices.sendIfChanged(PersistentDictionary(["b": 2, "a": 1])))
    #expect(prices.version == 0)
    #expect(prices.value.edits(from: before).isEmpty)
    #expect(prices.sendIfChanged(["a": 1, "b": 3]))
    #expect(prices.value.edits(from: before) == [.update(key: "b", value: 3, old: 2)])
    #expect(prices.sendIfChanged(before))
    #expect(prices.version == 2)
    prices.finish()
    #expect(!prices.sendIfChanged([:]))
  }

  @Test
  func `entries are removed by a predicate, in one update`() {
    let prices = BindableDictionary(["a": 1, "b": 2, "c": 3])
    let before = prices.value
    prices.removeAll { $0.key == "a" || $0.value == 3 }
    #expect(Dictionary(prices.value) == ["b": 2])
    #expect(prices.value.edits(from: before).count == 2)
    #expect(prices.version == 1)
    #expect(!prices.isEmpty)
    #expect(throws: CancellationError.self) { try prices.removeAll { _ in throw CancellationError() } }
    prices.removeAll()
    #expect(prices.isEmpty)
    #expect(prices.version == 2)
  }

  @Test
  func `a watcher of a key is woken only by writes of this key`() {
    let prices = BindableDictionary(["a": 1, "b": 2])
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let token = prices.source(forKey: "a").observe(on: context.delivery) { seen.record($0) }
    context.run()
    prices.set(5, forKey: "b")
    prices.set(6, forKey: "c")
    #expect(context.pending == 0)
    prices.set(7, forKey: "a")
    #expect(context.pending == 1)
    context.run()
    prices.removeValue(forKey: "a")
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
    let price = prices.source(forKey: "a")
    #expect(price.value == 1)
    prices.set(2, forKey: "a")
    #expect(price.value == 2)
    #expect(price.map { ($0 ?? 0) * 10 }.value == 20)
    #expect(prices.observerCount == 0)
  }

  @Test
  func `G4 an unbounded watcher receives each value`() async {
    let prices = BindableDictionary(["a": 0])
    let all = prices.source(forKey: "a").values(backlog: .unbounded)
    for price in 1...100 {
      prices.set(price, forKey: "a")
      prices.set(price, forKey: "b")
    }
    prices.finish()
    var seen: [Int?] = []
    for await price in all { seen.append(price) }
    #expect(seen == Array(0...100))
  }

  @Test
  func `G13 the dictionary has no observers when the last watcher has left`() {
    let prices = BindableDictionary(["a": 1])
    let context = ManualContext()
    let first = prices.source(forKey: "a").observe(on: context.delivery) { _ in }
    let second = prices.source(forKey: "b").observe(on: context.delivery) { _ in }
    #expect(prices.observerCount == 2)
    first.cancel()
    #expect(prices.observerCount == 1)
    second.cancel()
    #expect(prices.observerCount == 0)
  }

  @Test
  func `G13 watchers that exist at the end leave nothing behind`() {
    weak var left: BindableDictionary<String, Int>?
    let census = Census()
    do {
      let objects = BindableDictionary(["a": census.citizen()])
      let prices = BindableDictionary(["a": 1])
      left = prices
      let context = ManualContext()
      let token = prices.source(forKey: "a").observe(on: context.delivery) { _ in }
      let other = objects.source(forKey: "a").observe(on: context.delivery) { _ in }
      context.run()
      objects.finish()
      context.run()
      token.cancel()
      other.cancel()
    }
    #expect(left == nil)
    #expect(census.alive == 0)
  }

  @Test
  func `G2 a watcher receives the value of its key, whichever method writes the value`() {
    let prices = BindableDictionary(["a": 0, "b": 0])
    let limit = BindableActor(10)
    let context = ManualContext()
    let seen = Recorder<Int?>()
    let token = prices.source(forKey: "a").observe(on: context.delivery, backlog: .unbounded) {
      seen.record($0)
    }
    context.run()
    prices.set(1, forKey: "a")
    prices.modify(forKey: "a") { $0? += 1 }
    prices.modify { $0["a"] = 3 }
    BindingTransaction.run { $0[prices]["a"] = $0[limit] }
    var whole = prices.value
    whole["a"] = 11
    whole["c"] = 1
    prices.send(whole)
    prices.send(["a": 12, "b": 0])
    prices.modify(forKey: "a") { $0 = nil }
    prices.modify(forKey: "a") { $0 = 13 }
    prices.removeValue(forKey: "a")
    prices.set(14, forKey: "a")
    prices.removeAll()
    context.run()
    #expect(seen.elements == [0, 1, 2, 3, 10, 11, 12, nil, 13, nil, 14, nil])
    #expect(prices.version == 11)
    token.cancel()
  }

  @Test
  func `G10 removed values are released without a lock`() {
    // An object whose deinit writes to the dictionary that held the object.
    final class Farewell: Sendable {
      let farewells: BindableDictionary<String, Farewell>
      let log: Recorder<Int>
      init(_ farewells: BindableDictionary<String, Farewell>, _ log: Recorder<Int>) {
        self.farewells = farewells
        self.log = log
      }
      deinit {
        log.record(farewells.value.count)
        farewells.removeValue(forKey: "nobody")
      }
    }
    let log = Recorder<Int>()
    let farewells = BindableDictionary<String, Farewell>()
    farewells.set(Farewell(farewells, log), forKey: "a")
    farewells.set(Farewell(farewells, log), forKey: "a")
    farewells.modify(forKey: "a") { $0 = Farewell(farewells, log) }
    farewells.removeValue(forKey: "a")
    #expect(log.elements == [1, 1, 0])
  }

  @Test
  func `keys with equal hashes are distinguished`() {
    struct Clash: Hashable {
      let name: String
      func hash(into hasher: inout Hasher) {}
    }
    let cells = BindableDictionary<Clash, Int>()
    let context = ManualContext()
    let seen = (0..<5).map { _ in Recorder<Int?>() }
    let tokens = seen.enumerated().map { index, recorder in
      cells.source(forKey: Clash(name: "\(index)")).observe(on: context.delivery, backlog: .unbounded) {
        recorder.record($0)
      }
    }
    context.run()
    for round in 1...3 {
      for index in 0..<5 { cells.set(round * 10 + index, forKey: Clash(name: "\(index)")) }
    }
    context.run()
    for index in 0..<5 { #expect(seen[index].elements == [nil, 10 + index, 20 + index, 30 + index]) }
    tokens.forEach { $0.cancel() }
  }

  @Test(arguments: Clumsiness.allCases)
  func `copies do not change, however their keys hash`(clumsiness: Clumsiness) {
    var numbers = Numbers(seed: 7)
    let cell = BindableDictionary<Clumsy, Int>()
    var model: [Clumsy: Int] = [:]
    var copies: [(cell: PersistentDictionary<Clumsy, Int>, model: [Clumsy: Int])] = []
    for turn in 1...2_000 {
      let key = clumsiness.key(Int.random(in: 0..<60, using: &numbers))
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0: #expect(cell.removeValue(forKey: key) == model.removeValue(forKey: key))
      case 1..<4:
        cell.modify(forKey: key) { $0 = $0.map { $0 + turn } ?? turn }
        model[key] = model[key].map { $0 + turn } ?? turn
      default:
        cell.set(turn, forKey: key)
        model[key] = turn
      }
      if turn.isMultiple(of: 50) { copies.append((cell.value, model)) }
    }
    for copy in copies {
      copy.cell.checkInvariants()
      #expect(Dictionary(copy.cell) == copy.model)
    }
    for (old, new) in zip(copies, copies.dropFirst()) {
      let told = Dictionary(
        uniqueKeysWithValues: new.cell.edits(from: old.cell).map { ($0.key, $0.newValue) }
      )
      var rebuilt = old.model
      for (key, value) in told { rebuilt[key] = value }
      #expect(rebuilt == new.model)
    }
  }

  @Test
  func `a body that throws has changed nothing`() {
    struct Refusal: Error {}
    let prices = BindableDictionary(["a": 1])
    for key in ["a", "b"] {
      #expect(throws: Refusal.self) {
        try prices.modify(forKey: key) { price throws(Refusal) in
          price = 5
          throw Refusal()
        }
      }
    }
    #expect(Dictionary(prices.value) == ["a": 1])
    #expect(prices.version == 0)
  }

  @Test
  func `G11 nothing is written after the end`() {
    let prices = BindableDictionary(["a": 1])
    prices.finish()
    prices.set(2, forKey: "a")
    prices.set(2, forKey: "b")
    #expect(
      prices.modify(forKey: "a") {
        $0 = 3; return $0
      } == 3
    )
    #expect(Dictionary(prices.value) == ["a": 1])
    #expect(prices.version == 0)
  }

  @Test
  func `G11 watchers end with the dictionary`() async {
    var prices: BindableDictionary? = BindableDictionary(["a": 1])
    let price = prices?.source(forKey: "a")
    let stream = price?.values(backlog: .unbounded)
    prices?.set(2, forKey: "a")
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
    let token = prices.source(forKey: "a").observe(on: context.delivery) { price in
      if let price, price < 5 { prices.set(price + 1, forKey: "a") }
    }
    context.run()
    #expect(prices["a"] == 5)
    token.cancel()
  }
}

@Suite
struct KeyWatcherStressTests {
  @Test
  func `G3 G4 watchers of keys that many tasks write receive each value, in order`() async {
    let cells = BindableDictionary<Int, Int>()
    let keys = 8
    let rounds = stressed(500)
    await withTaskGroup(of: Void.self) { group in
      for key in 0..<keys {
        let all = cells.source(forKey: key).values(backlog: .unbounded)
        group.addTask {
          var seen: [Int?] = []
          for await value in all {
            seen.append(value)
            if value == rounds { break }
          }
          #expect(seen == [nil] + Array(1...rounds))
        }
        group.addTask {
          for await value in cells.source(forKey: key).values where value == rounds { break }
        }
        group.addTask {
          for value in 1...rounds { cells.set(value, forKey: key) }
        }
      }
    }
    #expect(cells.observerCount == 0)
  }

  @Test
  func `G1 no change of a key is lost while other tasks write`() async {
    let counts = BindableDictionary<Int, Int>()
    let keys = 4
    let rounds = stressed(2_000)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<rounds { counts.modify(forKey: (round &+ writer) % keys) { $0 = ($0 ?? 0) + 1 } }
        }
      }
      // Another task writes other keys meanwhile: single keys, and batches while a copy is held.
      group.addTask {
        for round in 0..<rounds {
          counts.set(round, forKey: -1)
          let copy = counts.value
          counts.modify { $0[-2] = copy.count }
          if round % 100 == 0 { counts.removeValue(forKey: -1) }
        }
      }
    }
    #expect((0..<keys).reduce(0) { $0 + (counts[$1] ?? 0) } == 4 * rounds)
  }
}
