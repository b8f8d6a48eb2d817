/// Explains the values of a counter that no client has acknowledged.
///
/// A write whose client was killed, or learned nothing, may have been applied once. So each value without an
/// acknowledgement needs a lost write of its own, which was under way at the time of this value.
struct LostWrites {
  /// A write that was acknowledged with a value.
  struct Known {
    var began: Int
    var ended: Int
  }

  /// When each lost write began, and when its client was killed or gave up.
  var lost: [ClosedRange<Int>] = []
  var known: [Int: Known] = [:]

  /// A request may wait in a member that is frozen, and be applied after its client has died.
  private static let delay = 10_000_000_000

  /// Returns the values up to `last` that no lost write can have written.
  func unexplained(upTo last: Int) -> [Int] {
    guard last > 0 else { return [] }
    // A value was written before the end of each write of a greater value: from the last value back.
    var latest = Array(repeating: Int.max, count: last + 2)
    for value in stride(from: last, through: 1, by: -1) {
      latest[value] = min(latest[value + 1], known[value]?.ended ?? Int.max)
    }
    var earliest = 0
    var rest = lost.sorted { $0.upperBound < $1.upperBound }
    var result: [Int] = []
    for value in 1...last {
      if let write = known[value] {
        earliest = max(earliest, write.began)
        continue
      }
      // Takes the write that ended first: the others can explain later values.
      let match = rest.firstIndex {
        $0.lowerBound <= latest[value] && $0.upperBound >= earliest - Self.delay
      }
      if let match { rest.remove(at: match) } else { result.append(value) }
    }
    return result
  }
}
