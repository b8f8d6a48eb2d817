import ActorBindings
import Testing

@Suite
struct G09OwnerTests {
  @Test
  func `G9 after its owner died an observation makes no call, and is removed at the next delivery`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    var owner: Mortal? = Mortal {}
    let token = cell.observe(owner!, on: context.delivery) { _, value in seen.record(value) }
    context.run()
    #expect(cell.observerCount == 1)
    owner = nil
    cell.send(1)
    context.run()
    #expect(seen.elements == [0])
    #expect(cell.observerCount == 0)
    #expect(token.isCancelled)
  }

  @Test
  func `G9 an owner that dies while updates wait receives none of them`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let seen = Recorder<Int>()
    var owner: Mortal? = Mortal {}
    cell.observe(owner!, on: context.delivery, backlog: .unbounded) { _, value in seen.record(value) }
    for value in 1...5 { cell.send(value) }
    owner = nil
    context.run()
    #expect(seen.count == 0)
  }

  @Test
  func `G9 an actor is an owner like any other`() async {
    let cell = BindableActor(0)
    var worker: Worker? = Worker()
    weak let weakly = worker
    let token = cell.observe(with: worker!) { $0.record($1) }
    await cell.settled()
    worker = nil
    await eventually { weakly == nil }
    cell.send(1)
    await cell.settled()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
  }

  @Test @MainActor
  func `G9 a binding ends with its object`() async {
    final class Label { var text = 0 }
    let cell = BindableActor(1)
    var label: Label? = Label()
    weak let weakly = label
    let token = cell.bind(to: label!, \.text)
    #expect(label?.text == 1)
    label = nil
    #expect(weakly == nil)
    cell.send(2)
    await cell.settled()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `G9 a cell that is never written accumulates no dead observations`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    var peak = 0
    for _ in 0..<5_000 {
      cell.observe(Mortal {}, on: context.delivery) { _, _ in }
      context.run()
      peak = max(peak, cell.observerCount)
    }
    #expect(peak < 300)
  }

  @Test
  func `G9 dead observations never outnumber the others by more than a constant factor`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let living = (0..<1_000).map { _ in Mortal {} }
    for owner in living { cell.observe(owner, on: context.delivery) { _, _ in } }
    context.run()
    var peak = 0
    // The first call of a handler would notice a dead owner, so each owner dies after that call.
    for _ in 0..<20_000 {
      let owner = Mortal {}
      cell.observe(owner, on: context.delivery) { _, _ in }
      context.run()
      peak = max(peak, cell.observerCount)
    }
    #expect(peak < 4 * living.count)
    withExtendedLifetime(living) {}
  }

  @Test
  func `G9 dead observations are also removed on contexts without new registrations`() async {
    let cell = BindableActor(0)
    let station = Station()
    let context = ManualContext()
    var owners = (0..<100).map { _ in Mortal {} }
    for owner in owners { cell.observe(owner, on: .queue(station.queue)) { _, _ in } }
    await cell.settled()
    owners = []
    // The owners are dead, and the lane has not noticed that yet. Registrations on another context start a sweep on the
    // context of the owners.
    let tokens = (0..<200).map { _ in cell.observe(on: context.delivery) { _ in } }
    // On a busy machine the time of the lane's turn runs out, and another turn follows.
    await eventually { cell.observerCount == tokens.count }
  }

  @Test
  func `G9 a dead owner behind an operator that rejects everything is noticed at the next delivery`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    var owner: Mortal? = Mortal {}
    let token = owner.map { cell.filter { _ in false }.observe($0, on: context.delivery) { _, _ in } }
    context.run()
    #expect(cell.observerCount == 1)
    owner = nil
    cell.send(1)
    context.run()
    #expect(cell.observerCount == 0)
    #expect(token?.isCancelled == true)
  }

  @Test @MainActor
  func `G9 dead observations on the caller's isolation are removed too`() async {
    let cell = BindableActor(0)
    var peak = 0
    for _ in 0..<1_000 {
      cell.observe(Mortal {}) { _, _ in }
      await Task.yield()
      peak = max(peak, cell.observerCount)
    }
    #expect(peak < 300)
  }
}
