/// A set of small numbers that finds the next member in a few steps.
///
/// The bits of the set are in levels. The lowest level has a bit for each number. Each higher level has a bit for each
/// word of the level below: the bit is set if that word is not zero. The highest level is a single word.
package struct BitSet: Sendable {
  // All levels, the lowest first.
  private var words: ContiguousArray<UInt64>
  // The number of words of the lowest level.
  private let width: Int

  /// Creates an empty set for the numbers below `count`.
  package init(count: Int) {
    width = (count + 63) / 64
    var (total, size) = (width, width)
    while size > 1 {
      size = (size + 63) / 64
      total += size
    }
    words = ContiguousArray(repeating: 0, count: total)
  }

  package func contains(_ member: Int) -> Bool {
    words[member >> 6] & (1 << UInt64(member & 63)) != 0
  }

  package mutating func insert(_ member: Int) {
    var (level, index) = (Level(size: width), member)
    while level.start < words.count {
      let word = level.start + index >> 6
      let wasEmpty = words[word] == 0
      words[word] |= 1 << UInt64(index & 63)
      guard wasEmpty else { return }
      level = level.above
      index >>= 6
    }
  }

  package mutating func remove(_ member: Int) {
    var (level, index) = (Level(size: width), member)
    while level.start < words.count {
      let word = level.start + index >> 6
      words[word] &= ~(1 << UInt64(index & 63))
      guard words[word] == 0 else { return }
      level = level.above
      index >>= 6
    }
  }

  /// Returns the lowest member that is at least `start`, or nil if there is none.
  package func first(from start: Int) -> Int? {
    first(from: start, in: Level(size: width))
  }

  private func first(from start: Int, in level: Level) -> Int? {
    guard start >> 6 < level.size else { return nil }
    let word = words[level.start + start >> 6] & (~0 << UInt64(start & 63))
    if word != 0 { return start & ~63 | word.trailingZeroBitCount }
    guard level.size > 1, let next = first(from: start >> 6 + 1, in: level.above) else { return nil }
    return next << 6 | words[level.start + next].trailingZeroBitCount
  }

  private struct Level {
    var start = 0
    let size: Int

    var above: Level { Level(start: start + size, size: (size + 63) / 64) }
  }
}
