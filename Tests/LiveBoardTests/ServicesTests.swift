import ActorBindings
import LiveBoard
import Testing

@Suite(.timeLimit(.minutes(9))) struct ServicesTests {
  @Test func `a service that is stopped is cancelled, and runs again when it is started`() async {
    let (begun, ended, isAnswered) = (BindableActor(0), BindableActor(0), BindableActor(false))
    let services = Services(
      Health(retry: .never) {
        begun.modify { $0 += 1 }
        // Waits until the load is cancelled.
        _ = await isAnswered.first { $0 }
        ended.modify { $0 += 1 }
        throw CancellationError()
      }
    )
    let running = Task { await services.run() }
    for round in 1...3 {
      _ = await begun.first { $0 == round }
      #expect(ended.value == round - 1)
      services.stop("health")
      _ = await ended.first { $0 == round }
      services.start("health")
    }
    _ = await begun.first { $0 == 4 }
    running.cancel()
    await running.value
    _ = await ended.first { $0 == 4 }
  }

  @Test func `a service that is stopped again keeps the time at which it was stopped`() {
    let services = Services()
    services.stop("jobs")
    let state = services.running.value["jobs"]
    #expect(state != .running)
    services.stop("jobs")
    #expect(services.running.value["jobs"] == state)
    services.start("jobs")
    #expect(services.running.value["jobs"] == .running)
  }
}
