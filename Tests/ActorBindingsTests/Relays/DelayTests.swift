import ActorBindings
import Dispatch
import Testing

@Suite
struct DelayTests {
  private let cell = BindableActor(1)
  private let clock = ManualClock()

  @Test
  func `each value is delivered after the delay, and then the end`() async {
    let seen = Recorder<String>()
    let context = DeliveryContext(id: "delay") { $0() }
    let token = cell.delay(for: .seconds(3), clock: clock).observe(on: context, backlog: .unbounded) {
      seen.record("\($0)")
    } onEnd: {
      seen.record("end")
    }
    await clock.slept(1)
    clock.advance(by: .seconds(1))
    cell.send(2)
    await cell.settled()
    cell.send(3)
    await cell.settled()
    cell.finish()
    clock.advance(by: .seconds(2))
    await seen.reached(1)
    await clock.slept(1)
    #expect(seen.elements == ["1"])
    clock.advance(by: .seconds(1))
    await seen.reached(4)
    #expect(seen.elements == ["1", "2", "3", "end"])
    #expect(clock.sleepers == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `more values than one turn delivers all arrive, in order`() async {
    let stream = cell.delay(for: .seconds(3), clock: clock).values(backlog: .unbounded)
    async let elements = stream.elements()
    await clock.slept(1)
    for number in 2...2_000 { cell.send(number) }
    await cell.settled()
    cell.finish()
    await eventually {
      clock.advance(by: .seconds(3))
      return clock.sleepers == 0 && cell.observerCount == 0
    }
    #expect(await elements == Array(1...2_000))
  }

  @Test
  func `the waiting values are released when the last reader leaves`() async {
    let gone = Recorder<Int>()
    let objects = BindableActor(Mortal { gone.record(0) })
    let token = objects.delay(for: .seconds(3), clock: clock).observe(on: .queue(.global())) { _ in }
    await clock.slept(1)
    for number in 1...3 { objects.send(Mortal { gone.record(number) }) }
    token.cancel()
    await gone.reached(3)
    await clock.slept(0)
    #expect(gone.elements.sorted() == [0, 1, 2])
  }
}
