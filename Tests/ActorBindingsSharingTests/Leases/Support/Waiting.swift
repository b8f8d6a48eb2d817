import ActorBindings
import Dispatch

/// Returns when `condition` holds. Other tasks run meanwhile.
func waitUntil(_ condition: () -> Bool) async {
  while !condition() { await giveWay() }
}

/// Lets other work run. `Task.yield()` does not let Dispatch queues run if there is only one processor.
func giveWay() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume() }
  }
}

/// A gate that a test opens.
final class LeaseGate: Sendable {
  private let isOpen = BindableActor(false)

  func open() {
    isOpen.send(true)
  }

  /// Returns when the gate is open, or the task is cancelled.
  func passed() async throws {
    // A cell that is deallocated ends its loops.
    defer { withExtendedLifetime(self) {} }
    for await isOpen in isOpen.values where isOpen { return }
    try Task.checkCancellation()
  }

  /// Returns when the gate is open, even if the task is cancelled.
  func passedIgnoringCancellation() async {
    await Task { try? await passed() }.value
  }
}

/// What has happened, in order.
final class Journal<Event: Sendable & Equatable>: Sendable {
  private let cell = BindableActor<[Event]>([])

  var events: [Event] { cell.value }

  func append(_ event: Event) {
    cell.modify { $0.append(event) }
  }

  /// Returns when an event has happened.
  func contains(_ event: Event) async {
    await waitUntil { events.contains(event) }
  }
}
