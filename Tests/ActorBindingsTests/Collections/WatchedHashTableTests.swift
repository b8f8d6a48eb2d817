import ActorBindings
import Testing

/// The table of the watched hashes, compared with a Swift dictionary.
@Suite
struct WatchedHashTableTests {
  private typealias Table = WatchedHashTable<String, Int>
  private typealias Watched = WatchedHash<String, Int>

  @Test
  func `an empty table finds nothing`() {
    let table = Table()
    #expect(table.isEmpty)
    #expect(table[0] == nil)
    #expect(table.all.isEmpty)
  }

  // Hashes in a row collide in a small table, and so do hashes that differ only in their high bits.
  @Test(arguments: [1, 16, 1 << 32, 1 << 48, 1 << 60, 0x9E37_79B9_7F4A_7C15] as [UInt])
  func `a table has the hashes that were inserted and not removed`(factor: UInt) {
    var random = Numbers(seed: UInt64(truncatingIfNeeded: factor))
    var (table, model) = (Table(), [UInt: Watched]())
    for step in 0..<4_000 {
      // Grows in the first half, and shrinks in the second half.
      let isInsertion = UInt.random(in: 0..<10, using: &random) < (step < 2_000 ? 7 : 3)
      let hash = UInt.random(in: 0..<300, using: &random) &* factor
      if let watched = model[hash] {
        if !isInsertion {
          table.remove(watched)
          model[hash] = nil
        }
      } else if isInsertion {
        let watched = Watched(hash, at: 0)
        table.insert(watched)
        model[hash] = watched
      }
      #expect(table.count == model.count)
      #expect(table[hash] === model[hash])
      guard step % 50 == 0 else { continue }
      for number in 0..<300 as Range<UInt> {
        #expect(table[number &* factor] === model[number &* factor])
      }
      #expect(Set(table.all.map(ObjectIdentifier.init)) == Set(model.values.map(ObjectIdentifier.init)))
    }
    for watched in model.values { table.remove(watched) }
    #expect(table.isEmpty)
    #expect(table.all.isEmpty)
  }
}
