/// A key that reports its next comparison. Keys of one bucket have the same hash.
struct ReportingKey: Hashable, Sendable {
  let number: Int
  private let bucket: Int
  private let comparisons: Comparisons

  init(_ number: Int, bucket: Int = 0, _ comparisons: Comparisons) {
    self.number = number
    self.bucket = bucket
    self.comparisons = comparisons
  }

  static func == (one: ReportingKey, other: ReportingKey) -> Bool {
    one.comparisons.occurred()
    return one.number == other.number
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(bucket)
  }
}

/// Counts the comparisons of the keys of one test, and runs a closure at the next one.
final class Comparisons: Sendable {
  private let counter = Counter()
  private let next = Guarded<(@Sendable () -> Void)?>(nil)

  var count: Int { counter.value }

  /// Runs `action` at the next comparison, once.
  func onNext(_ action: (@Sendable () -> Void)?) {
    let old = next.withLock { next in
      let old = next
      next = action
      return old
    }
    _ = consume old
  }

  fileprivate func occurred() {
    counter.add()
    let action = next.withLock { $0.take() }
    action?()
  }
}
