/// Counts durations in buckets: each bucket is twice as wide as the one before. A histogram takes 256 bytes, so copies
/// are cheap. A count that grows by a million a second overflows after half a million years.
package struct DurationHistogram: Sendable, Equatable {
  // Bucket n counts the durations below 2^n microseconds that are in no bucket before it.
  private var buckets = SIMD32<UInt64>()

  package init() {}

  package mutating func record(_ duration: Duration, times: UInt64 = 1) {
    // A duration that is longer than an hour counts as an hour: the conversion of a larger number would trap.
    let microseconds = UInt32(min(max(duration / .microseconds(1), 0), 3_600_000_000))
    buckets[min(31, 32 - microseconds.leadingZeroBitCount)] &+= times
  }

  /// The durations that were recorded since an earlier state.
  package func since(_ earlier: DurationHistogram) -> DurationHistogram {
    var difference = self
    difference.buckets = buckets &- earlier.buckets
    return difference
  }

  /// Returns the duration below which a part of the durations are, as exactly as the buckets allow. Nil if nothing was
  /// recorded.
  package func quantile(_ part: Double) -> Duration? {
    let counts = (0..<32).map { Double(buckets[$0]) }
    let count = counts.reduce(0, +)
    guard count > 0 else { return nil }
    var rest = part * count
    for (index, inBucket) in counts.enumerated() where inBucket > 0 {
      if rest <= inBucket || index == 31 {
        let (low, high) = index == 0 ? (0, 1) : (Double(1 << (index - 1)), Double(1 << index))
        return .microseconds(low + (high - low) * min(1, rest / inBucket))
      }
      rest -= inBucket
    }
    return nil
  }
}
