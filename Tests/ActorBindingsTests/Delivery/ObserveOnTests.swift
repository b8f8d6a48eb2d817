import ActorBindings
import Dispatch
import Testing

/// `observe(on:)` with a queue or the main actor itself, instead of a `DeliveryContext`.
@Suite
struct ObserveOnTests {
  private let cell = BindableActor(0)
  private let seen = Recorder<Int>()

  @Test
  func `a queue is the context of that queue`() async {
    let queue = DispatchQueue(label: "queue")
    let owner = Owner()
    let token = cell.observe(on: queue, backlog: .unbounded) { [seen] in
      dispatchPrecondition(condition: .onQueue(queue))
      seen.record($0)
    }
    cell.observe(owner, on: queue) { [seen] _, value in
      dispatchPrecondition(condition: .onQueue(queue))
      seen.record(10 + value)
    }
    cell.observe(owner, on: .queue(queue)) { [seen] _, value in seen.record(20 + value) }
    await cell.settled()
    cell.send(1)
    await cell.settled()
    // One lane calls the handlers in the order in which their observations began.
    #expect(seen.elements == [0, 10, 20, 1, 11, 21])
    token.cancel()
    withExtendedLifetime(owner) {}
  }

  @Test
  func `the main actor, with a handler that is isolated to it`() async {
    let view = View()
    let token = cell.observe(on: MainActor.shared, backlog: .unbounded) { view.values.append($0) }
    cell.observe(view, on: MainActor.shared) { view, value in view.values.append(10 + value) }
    await cell.settled()
    cell.send(1)
    await cell.settled()
    #expect(await view.values == [0, 10, 1, 11])
    token.cancel()
  }

  @Test
  @MainActor
  func `.main is the main actor, where Dispatch is imported too`() {
    let tokens = [cell.observe(on: .main) { _ in }, cell.observe { _ in }]
    // Both observations share the lane of the main actor: the main queue has no lane beside it.
    #expect(cell.cell.locked { $0.delivererTable.count } == 1)
    tokens.forEach { $0.cancel() }
  }
}

private final class Owner: Sendable {}

@MainActor
private final class View {
  var values: [Int] = []
}
