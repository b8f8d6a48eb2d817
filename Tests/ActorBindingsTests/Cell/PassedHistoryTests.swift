import ActorBindings
import Testing

/// Slots that a junction has passed, until it clears them after the lock.
@Suite
struct PassedHistoryTests {
  private let census = Census()

  // Chunks with the versions from 1 to `count`.
  private func chunks(_ number: Int, of count: Int) -> [LogChunk<Census.Citizen>] {
    (0..<number).map { _ in
      let chunk = LogChunk<Census.Citizen>(from: 1, capacity: count)
      for version in 1...UInt64(count) {
        chunk.writtenWhileLocked(census.citizen(), version, pending: 1)
      }
      return chunk
    }
  }

  @Test
  func `consecutive versions of two chunks take no array`() {
    let chunks = chunks(2, of: 3)
    var passed = PassedHistory()
    for version in UInt64(1)...3 { for chunk in chunks { passed.add(version, in: chunk) } }
    #expect(passed.first?.versions == 1..<4)
    #expect(passed.second?.versions == 1..<4)
    #expect(passed.others.isEmpty)
    passed.clear()
    #expect(census.alive == 0)
    withExtendedLifetime(chunks) {}
  }

  @Test
  func `consecutive versions of six chunks take one item for each chunk`() {
    let chunks = chunks(6, of: 3)
    var passed = PassedHistory()
    for version in UInt64(1)...3 { for chunk in chunks { passed.add(version, in: chunk) } }
    #expect(passed.others.map(\.versions) == [1..<4, 1..<4, 1..<4, 1..<4])
    passed.clear()
    #expect(census.alive == 0)
    withExtendedLifetime(chunks) {}
  }

  @Test
  func `a version that follows that of another chunk is cleared in its own chunk`() {
    let chunks = chunks(2, of: 2)
    var passed = PassedHistory()
    for (version, chunk) in zip(UInt64(1)..., chunks) { passed.add(version, in: chunk) }
    #expect(passed.first?.versions == 1..<2)
    #expect(passed.second?.versions == 2..<3)
    passed.clear()
    #expect(census.alive == 2)
    withExtendedLifetime(chunks) {}
  }

  @Test
  func `a slot between two slots that were added is not cleared`() {
    let chunks = chunks(1, of: 3)
    var passed = PassedHistory()
    for version: UInt64 in [1, 3] { passed.add(version, in: chunks[0]) }
    passed.clear()
    #expect(census.alive == 1)
    withExtendedLifetime(chunks) {}
  }

  @Test
  func `each slot is cleared once`() {
    let chunks = chunks(3, of: 1)
    var passed = PassedHistory()
    for chunk in chunks { passed.add(1, in: chunk) }
    passed.clear()
    // Other values in the same slots.
    for chunk in chunks { chunk.writtenWhileLocked(census.citizen(), 1, pending: 1) }
    passed.clear()
    #expect(census.alive == 3)
    withExtendedLifetime(chunks) {}
  }
}
