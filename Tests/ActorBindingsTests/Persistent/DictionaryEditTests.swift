import ActorBindings
import Testing

@Suite
struct DictionaryEditTests {
  private let prices: PersistentDictionary = ["ACME": 12, "INIT": 40, "OLD": 7]

  @Test
  func `edits name what was inserted, updated and removed`() {
    var now = prices
    now["NEW"] = 1
    now["ACME"] = 13
    now["OLD"] = nil
    let edits = now.edits(from: prices).sorted { $0.key < $1.key }
    #expect(
      edits == [
        .update(key: "ACME", value: 13, old: 12), .insert(key: "NEW", value: 1),
        .remove(key: "OLD", value: 7),
      ]
    )
    #expect(edits.map(\.oldValue) == [12, nil, 7])
    #expect(edits.map(\.newValue) == [13, 1, nil])
  }

  @Test
  func `nothing differs between a dictionary and its copy`() {
    let copy = prices
    #expect(copy.edits(from: prices).isEmpty)
    #expect(PersistentDictionary<Int, Int>().edits(from: [:]).isEmpty)
  }

  @Test
  func `no edit names an entry that was inserted and removed again, or that a removal did not find`() {
    var now = prices
    now["NEW"] = 1
    now["NEW"] = nil
    now["NONE"] = nil
    now["NONE"]?.negate()
    #expect(now.edits(from: prices).isEmpty)
  }

  @Test
  func `an equal value is an update like any other`() {
    var now = prices
    now["ACME"] = 12
    #expect(now.edits(from: prices) == [.update(key: "ACME", value: 12, old: 12)])
  }

  @Test
  func `copies that are written separately differ in what both wrote`() {
    var (one, other) = (prices, prices)
    one["ACME"] = 13
    other["ACME"] = 14
    #expect(other.edits(from: one) == [.update(key: "ACME", value: 14, old: 13)])
    // The edits are also right if one copy was written while it was the only owner of its nodes.
    func written(_ price: Int) -> PersistentDictionary<String, Int> {
      var copy = other
      copy["INIT"] = price
      return copy
    }
    let first = written(1)
    other["INIT"] = 2
    #expect(other.edits(from: first) == [.update(key: "INIT", value: 2, old: 1)])
  }

  @Test
  func `dictionaries that share nothing differ in every entry`() {
    let others: PersistentDictionary = ["ACME": 12, "ELSE": 3]
    let edits = others.edits(from: prices)
    #expect(Set(edits.map(\.key)) == ["ACME", "INIT", "OLD", "ELSE"])
    #expect(prices.applying(edits) == others)
    #expect(prices.edits(from: [:]).count == 3)
    #expect(PersistentDictionary().edits(from: prices).count == 3)
    #expect(PersistentDictionary().applying(prices.edits(from: [:])) == prices)
  }

  @Test
  func `a replacement keeps equal entries`() {
    let whole = ["ACME": 12, "INIT": 41, "NEW": 1]
    var now = prices
    now.replaceAll(with: whole)
    #expect(Dictionary(now) == whole)
    #expect(Set(now.edits(from: prices).map(\.key)) == ["INIT", "NEW", "OLD"])
    var same = prices
    same.replaceAll(with: Dictionary(prices))
    #expect(same.edits(from: prices).isEmpty)
    same.replaceAll(with: [:])
    #expect(same.isEmpty)
  }

  @Test
  func `too many edits are not computed`() {
    var now = prices
    now["ACME"] = 13
    now["NEW"] = 1
    #expect(now.edits(from: prices, limit: 2)?.count == 2)
    #expect(now.edits(from: prices, limit: 1) == nil)
    #expect(prices.edits(from: prices, limit: 0)?.isEmpty == true)
  }

  @Test
  func `the comparison skips shared nodes`() {
    let old = PersistentDictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, $0) })
    var new = old
    #expect(new.walk(from: old, limit: .max).visitedNodes == 0)
    for key in 0..<8 { new[key * 12_345] = -1 }
    new[-1] = -1
    new[99_999] = nil
    let walk = new.walk(from: old, limit: .max)
    #expect(walk.found.count == 10)
    // The walk visits ten paths of five or six nodes, in both dictionaries.
    #expect(walk.visitedNodes < 130)
    // The walk may end early, after ten differences.
    let other = PersistentDictionary(uniqueKeysWithValues: (0..<100_000).map { ($0, $0) })
    #expect(other.walk(from: old, limit: 10).visitedNodes < 130)
    #expect(other.edits(from: old).count == 100_000)
  }

  @Test
  func `many tasks can write and compare copies at once`() async {
    let old = PersistentDictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) })
    let latest = Guarded(old)
    await concurrently(4) { task in
      var mine = old
      await repeatedly(2_000) { round in
        let key = round * 4 + task
        mine[key % 1_500] = round
        mine[(key * 7) % 1_500] = nil
        let theirs = latest.withLock { latest in
          defer { latest = mine }
          return latest
        }
        if round % 100 == 0 { #expect(theirs.applying(mine.edits(from: theirs)) == mine) }
        if round % 10 == 0 { mine = theirs }
      }
      mine.checkInvariants()
    }
  }
}
