import ActorBindings
import Testing

/// An observation leaves nothing behind in its cell, in whichever way it ends.
@Suite
struct ObservationEndTests {
  private final class Owner: Sendable {}

  private let cell = BindableActor(0)
  private let context = ManualContext()

  private func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) {
    cell.cell.locked { state, roster in
      #expect(!state.keepsHistory, sourceLocation: sourceLocation)
      #expect(roster.readers == 0, sourceLocation: sourceLocation)
      #expect(roster.delivererTable.count == 0, sourceLocation: sourceLocation)
      #expect(roster.idle.members.isEmpty, sourceLocation: sourceLocation)
      state.checkInvariants(roster)
    }
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `cancelled while its lane is parked`(backlog: Backlog) {
    let token = cell.observe(on: context.delivery, backlog: backlog) { _ in }
    context.run()
    token.cancel()
    expectNothing()
    #expect(context.pending == 0)
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `cancelled while its lane is scheduled`(backlog: Backlog) {
    let token = cell.observe(on: context.delivery, backlog: backlog) { _ in }
    token.cancel()
    #expect(cell.observerCount == 0)
    context.run()
    expectNothing()
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `cancelled in its own call`(backlog: Backlog) {
    let token = Box<BindingToken>()
    token.value = cell.observe(on: context.delivery, backlog: backlog) { _ in token.value?.cancel() }
    context.run()
    expectNothing()
    token.value = nil
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `ends with its owner`(backlog: Backlog) {
    var owner: Owner? = Owner()
    if let owner { cell.observe(owner, on: context.delivery, backlog: backlog) { _, _ in } }
    context.run()
    owner = nil
    cell.send(1)
    context.run()
    expectNothing()
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `ends with its cell`(backlog: Backlog) {
    let token = cell.observe(on: context.delivery, backlog: backlog) { _ in }
    context.run()
    cell.finish()
    context.run()
    expectNothing()
    #expect(!token.isCancelled)
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `ends with its cell, on an actor that stays alive`(backlog: Backlog) async {
    let worker = Worker()
    let token = cell.observe(with: worker, backlog: backlog) { $0.record($1) }
    await cell.settled()
    cell.finish()
    await cell.settled()
    expectNothing()
    #expect(!token.isCancelled)
    withExtendedLifetime(worker) {}
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `ends with its context`(backlog: Backlog) {
    let token = cell.observe(on: context.delivery, backlog: backlog) { _ in }
    context.drop()
    expectNothing()
    #expect(token.isCancelled)
  }

  @Test(arguments: [Backlog.latest, .bounded(3), .unbounded])
  func `waiting values are released at once, though the token is kept`(backlog: Backlog) {
    let census = Census()
    let cell = BindableActor(census.citizen())
    let token = cell.observe(on: context.delivery, backlog: backlog) { _ in }
    for _ in 0..<5 { cell.send(census.citizen()) }
    token.cancel()
    #expect(census.alive == 1)
    withExtendedLifetime(token) {}
  }

  @Test
  func `ends with its context, while captures of another observation cancel it`() {
    let second = Box<BindingToken>()
    let first = {
      let mortal = Mortal { second.value?.cancel() }
      return cell.observe(on: context.delivery) { _ in withExtendedLifetime(mortal) {} }
    }()
    second.value = cell.observe(on: context.delivery) { _ in }
    context.drop()
    expectNothing()
    #expect(context.pending == 0)
    #expect(first.isCancelled && second.value?.isCancelled == true)
    second.value = nil
  }
}
