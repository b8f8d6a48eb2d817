/// Counts durations in buckets: each bucket is twice as wide as the one before. A histogram takes 128 bytes, so copies
/// are cheap.
///
/// The counts wrap around. So the difference of two states of one histogram is right for as long as fewer than four
/// billion durations were recorded between the two.
package struct DurationHistogram: Sendable, Equatable {
  // Bucket n counts the durations below 2^n microseconds that are in no bucket before it.
  private var buckets = SIMD32<UInt32>()

  package init() {}

  package mutating func record(_ duration: Duration) {
    let microseconds = UInt32(clamping: Int(max(duration, .zero) / .microseconds(1)))
    buckets[min(31, 32 - microseconds.leadingZeroBitCount)] &+= 1
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
    let count = (0..<32).reduce(0) { $0 + Int(buckets[$1]) }
    guard count > 0 else { return nil }
    var rest = part * Double(count)
    for index in 0..<32 where buckets[index] > 0 {
      let inBucket = Double(buckets[index])
      if rest <= inBucket || index == 31 {
        let (low, high) = index == 0 ? (0, 1) : (Double(1 << (index - 1)), Double(1 << index))
        return .microseconds(low + (high - low) * min(1, rest / inBucket))
      }
      rest -= inBucket
    }
    return nil
  }
}
