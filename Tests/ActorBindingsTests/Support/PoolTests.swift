import Foundation
import Testing

/// Checks the number of threads in the pool of tasks. CI also runs all tests on a pool with one thread, to show that
/// nothing needs a second thread. `ACTORBINDINGS_POOL=1` says that the pool has one thread.
private let threads = ProcessInfo.processInfo.environment["ACTORBINDINGS_POOL"].flatMap { Int($0) }

@Suite(.enabled(if: threads != nil))
struct PoolTests {
  @Test
  func `the pool has the expected number of threads`() async {
    let running = Counter()
    let together = Recorder<Int>()
    await concurrently(200) { _ in
      var most = running.add()
      // Gives a second thread time to appear.
      for _ in 0..<100_000 { most = max(most, running.value) }
      running.add(-1)
      together.record(most)
    }
    #expect(together.elements.max() == threads)
  }
}
