import Dispatch
import Foundation

/// Runs a blocking `body` on a thread of its own, because the pool has few threads.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// Runs tasks on a thread outside the pool, where a job may block.
final class BlockingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "sharing-benchmarks.blocking")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Ticks of equal length, which do not drift.
struct Pace {
  private let clock = ContinuousClock()
  private let tick: Duration
  private var next: ContinuousClock.Instant

  init(_ tick: Duration) {
    self.tick = tick
    next = clock.now
  }

  /// Blocks the thread until the next tick. Does not block if that tick is over.
  mutating func wait() {
    next += tick
    let rest = (next - clock.now) / .microseconds(1)
    if rest > 0 { usleep(UInt32(rest)) }
  }
}
