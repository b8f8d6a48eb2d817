import ActorBindings
import Dispatch
import Synchronization
import Testing

@Suite
struct WakeUpTests {
  @Test
  func `if a lane runs before it is woken, the other lanes are still woken`() async {
    let cell = BindableActor(0)
    let bag = DisposeBag()
    let isArmed = Mutex(false)
    let (late, last) = (ManualContext(), ManualContext())
    // The lane of this context is woken first, so `schedule` runs while the other lanes still have to be woken.
    let jobs = ManualContext()
    let first = DeliveryContext(id: "first of \(ObjectIdentifier(jobs))") { job in
      guard isArmed.withLock({ $0 }) else { return job() }
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        await cell.update(2)
        done.signal()
      }
      done.wait()
      cell.observe(on: late.delivery) { _ in }.store(in: bag)
      late.run()
      job()
    }
    cell.observe(on: first) { _ in }.store(in: bag)
    cell.observe(on: .cell) { _ in }.store(in: bag)
    await cell.settled()
    let seen = Recorder<Int>()
    cell.observe(on: last.delivery) { seen.record($0) }.store(in: bag)
    last.run()

    // Sends on a thread that is not in the pool: the context above blocks this thread until the pool has made the
    // update.
    let hasSent = Gate()
    Station().run {
      isArmed.withLock { $0 = true }
      cell.send(1)
      isArmed.withLock { $0 = false }
      hasSent.open()
    }
    await hasSent.passed()
    #expect(last.pending == 1)
    last.run()
    #expect(seen.elements == [0, 2])
    // Breaks a reference cycle: the context holds the bag.
    bag.dispose()
  }
}
