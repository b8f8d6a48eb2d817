import Foundation
import Synchronization

/// One word that two threads pass to each other. The time of a pass shows the current distance of the processors, which
/// the host of a virtual machine may change. This time is no lower bound: code that passes many values at once takes
/// less time for each value.
final class Word: Sendable {
  private let word = Atomic(0)

  /// Passes the word there and back `n` times.
  func sample(_ roundTrips: Int) throws -> Sample {
    let taken = Mutex(Sample(duration: .zero))
    // Threads that have just begun may share a processor for some milliseconds.
    let before = 50_000
    let threads = Threads(2) { [self] index in
      play(0..<before, as: index)
      let stopwatch = Stopwatch()
      play(before..<before + roundTrips, as: index)
      let sample = stopwatch.sample
      if index == 0 { taken.withLock { $0 = sample } }
    }
    threads.begin()
    threads.join()
    try expect(word.load(ordering: .acquiring), equals: 2 * (before + roundTrips), "how often it was passed")
    return taken.withLock(\.self)
  }

  private func play(_ roundTrips: Range<Int>, as index: Int) {
    for i in roundTrips {
      wait(for: 2 * i + index)
      word.store(2 * i + index + 1, ordering: .releasing)
    }
  }

  // Yields the processor at intervals: otherwise, if both threads share a processor, the other thread could not run.
  private func wait(for turn: Int) {
    var looks = 0
    while word.load(ordering: .acquiring) != turn {
      looks += 1
      if looks % 10_000 == 0 { sched_yield() }
    }
  }
}
