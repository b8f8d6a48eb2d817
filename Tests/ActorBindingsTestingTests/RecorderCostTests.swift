import ActorBindings
import ActorBindingsTesting
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A recorder costs the same for each value, however many it has.
@Suite
struct RecorderCostTests {
  @Test
  func `recording four times as many values takes about four times as long`() {
    let isLinear = isLinear { count in
      let cell = BindableActor(0)
      return (cell, Recorder(cell), count)
    } work: { (cell: BindableActor<Int>, recorder: Recorder<Int>, count: Int) in
      for value in 1...count { cell.send(value) }
      #expect(recorder.updates.count == count + 1)
    }
    #expect(isLinear)
  }

  // Whether the time for 4 n is less than 8 times the time for n, in one of ten tries: other work on the machine only
  // makes a try slower. Quadratic work takes up to 16 times as long.
  private func isLinear<Prepared>(_ prepare: (Int) -> Prepared, work: (Prepared) -> Void) -> Bool {
    let n = 10_000
    return (0..<10).contains { _ in
      let (one, four) = (time(prepare(n), work), time(prepare(4 * n), work))
      return four < 8 * one
    }
  }

  private func time<Prepared>(_ prepared: Prepared, _ work: (Prepared) -> Void) -> Double {
    let start = threadTime()
    work(prepared)
    return threadTime() - start
  }

  private func threadTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
