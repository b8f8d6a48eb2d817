import ActorBindings
import Synchronization

/// An account that any thread may write to: for handlers that live on a queue.
final class Journal: Sendable {
  private struct State {
    var account = Account()
    var isClosed = false
  }

  private let state = Mutex(State())

  var account: Account { state.withLock { $0.account } }

  func record(_ update: Update<Settings>) {
    state.withLock { state in
      state.account.record(update)
      if state.isClosed { state.account.complain("version \(update.version) came after its death") }
    }
  }

  /// Nothing may come after this.
  func close() {
    state.withLock { $0.isClosed = true }
  }
}

/// An actor that follows the settings on its own isolation.
actor Auditor {
  private(set) var account = Account()

  func record(_ update: Update<Settings>) {
    account.record(update)
  }
}

/// A view on the main actor. Nothing in it is Sendable, and nothing in it awaits.
@MainActor
final class Panel {
  final class Label {
    var text = ""
  }

  let label = Label()
  private(set) var account = Account()

  init(_ settings: BindableActor<Settings>) {
    settings.bind(\.revision, to: label, \.text, transform: { "revision \($0)" })
    settings.versioned().observe(self) { panel, update in panel.account.record(update) }
  }
}

/// Somebody who follows the settings while it lives, and leaves a diary behind.
final class Session: Sendable {
  private let diary: Journal

  init(_ diary: Journal) {
    self.diary = diary
  }

  deinit {
    diary.close()
  }

  func follow(_ settings: BindableActor<Settings>, on context: DeliveryContext) {
    // The diary is written past the session, so that it would tell of a call that came too late.
    settings.versioned().observe(self, on: context) { [diary] _, update in diary.record(update) }
  }
}
