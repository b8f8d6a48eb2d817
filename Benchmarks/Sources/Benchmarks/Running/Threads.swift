import Foundation

/// Threads that begin together.
final class Threads: Sendable {
  private let start = DispatchSemaphore(value: 0)
  private let ends: [DispatchSemaphore]

  init(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    ends = (0..<count).map { _ in DispatchSemaphore(value: 0) }
    for (index, end) in ends.enumerated() {
      Thread.detachNewThread { [start] in
        start.wait()
        body(index)
        end.signal()
      }
    }
  }

  func begin() {
    for _ in ends { start.signal() }
  }

  /// Returns when the first `count` threads have ended.
  func join(first count: Int) {
    for end in ends[..<count] {
      end.wait()
      end.signal()
    }
  }

  func join() {
    join(first: ends.count)
  }
}
