import ActorBindings
import Foundation
import Synchronization

/// W24: diagnostics of a cell with very many observers.
enum Describing {
  static let workloads = [
    Workload(
      "W24.observers",
      "Describing a cell with 100,000 observers",
      per: "observer",
      fan: many,
      comparedTo: "one context",
      [
        // 100,000 observers in 50 ms.
        .ours("one context", 4, .nanoseconds(500)) { n in try describe(onOneContext.cell, n) },
        .ours("a context each", 4, .nanoseconds(500)) { n in try describe(onManyContexts.cell, n) },
      ]
    ),
    Workload(
      "W24.lock",
      "The longest wait of another thread for the lock of that cell, while it is described",
      per: "description",
      comparedTo: "one context",
      [
        .ours("one context", 8, .nanoseconds(1_000_000)) { n in wait(for: onOneContext.cell, n) },
        .ours("a context each", 8, .nanoseconds(1_000_000)) { n in wait(for: onManyContexts.cell, n) },
      ]
    ),
  ]

  private static let many = 100_000

  /// A cell with its observers.
  private struct Observed: Sendable {
    let cell = BindableActor(0)
    let tokens: [BindingToken]

    init(on context: (Int) -> DeliveryContext) {
      tokens = (0..<Describing.many).map { [cell] in cell.observe(on: context($0)) { _ in } }
    }
  }

  // Making 100,000 observers takes longer than the measurement, so they are made once, and kept.
  private static let onOneContext = Observed { _ in .immediate }
  private static let onManyContexts = Observed { DeliveryContext(id: $0) { $0() } }

  private static func describe(_ cell: BindableActor<Int>, _ n: Int) throws -> Sample {
    try timed {
      for _ in 0..<n { try expect(cell.diagnostics.observers.count, equals: many, "observers described") }
    }
  }

  // Describes the cell `n` times, while another thread takes its lock again and again. Returns `n` times the longest wait
  // of that thread in the best of these times: in the others the machine may have stopped the thread that had the lock.
  private static func wait(for cell: BindableActor<Int>, _ n: Int) -> Sample {
    var least = Duration.seconds(3_600)
    for _ in 0..<n {
      let waiting = Waiting()
      let threads = Threads(1) { _ in waiting.take(cell) }
      threads.begin()
      while !waiting.hasBegun.load(ordering: .acquiring) {}
      keep(cell.diagnostics)
      waiting.isOver.store(true, ordering: .releasing)
      threads.join()
      least = min(least, waiting.longest.withLock { $0 })
    }
    return Sample(duration: least * n)
  }

  /// A thread that takes the lock of a cell.
  private final class Waiting: Sendable {
    let hasBegun = Atomic(false)
    let isOver = Atomic(false)
    let longest = Mutex(Duration.zero)

    func take(_ cell: BindableActor<Int>) {
      let (clock, delay) = (ContinuousClock(), RunDelay())
      var (longest, former) = (Duration.zero, delay.now)
      while !isOver.load(ordering: .acquiring) {
        let begin = clock.now
        keep(cell.observerCount)
        let time = clock.now - begin
        let latter = delay.now
        longest = max(longest, time - (latter - former))
        former = latter
        hasBegun.store(true, ordering: .releasing)
      }
      self.longest.withLock { $0 = longest }
    }
  }

  /// The time for which the current thread was ready to run, while the processors ran other threads. Zero where the
  /// system does not tell.
  private final class RunDelay {
    private let file = open("/proc/thread-self/schedstat", O_RDONLY)

    deinit { close(file) }

    var now: Duration {
      let numbers = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
        let count = pread(file, buffer.baseAddress, buffer.count, 0)
        return buffer.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
          .map { $0.reduce(0) { 10 * $0 + Int64($1) - 48 } }
      }
      return .nanoseconds(numbers.count == 3 ? numbers[1] : 0)
    }
  }
}
