import Foundation
import Testing

/// What the whole suite is run with, to see that nothing needs a second thread: `ACTORBINDINGS_POOL=1` says that the
/// pool of tasks has one.
private let threads = ProcessInfo.processInfo.environment["ACTORBINDINGS_POOL"].flatMap { Int($0) }

@Suite(.enabled(if: threads != nil))
struct PoolTests {
  @Test
  func `the pool has as many threads as it is said to have`() async {
    let running = Counter()
    let together = Recorder<Int>()
    await concurrently(200) { _ in
      var most = running.add()
      // A thread that is there has all this time to show itself.
      for _ in 0..<100_000 { most = max(most, running.value) }
      running.add(-1)
      together.record(most)
    }
    #expect(together.elements.max() == threads)
  }
}
