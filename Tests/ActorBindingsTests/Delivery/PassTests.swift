import ActorBindings
import Testing

@Suite
struct PassTests {
  @Test
  func `a bounded reader receives the value of the pass if more is sent during the pass`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let bag = DisposeBag()
    let seen = Recorder<Int>()
    cell.observe(on: context.delivery) { if $0 == 1 { (2...5).forEach(cell.send) } }.store(in: bag)
    cell.observe(on: context.delivery, backlog: .bounded(2)) { seen.record($0) }.store(in: bag)
    context.run()
    cell.send(1)
    context.run()
    #expect(seen.elements == [0, 1, 4, 5])
  }

  @Test
  func `between its passes a lane holds no value`() {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let context = ManualContext()
    let token = cell.observe(on: context.delivery) { _ in }
    context.run()
    cell.send(census.citizen())
    #expect(census.alive == 1)
    token.cancel()
  }
}
