import ActorBindings
import Synchronization

/// An account to which any thread may write, for handlers on a queue.
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
      if state.isClosed { state.account.complain("version \(update.version) came after the owner's death") }
    }
  }

  /// Reports every later update as an error.
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

/// A view on the main actor. The label of the view is not Sendable. The view does not await.
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

/// An owner that follows the settings while it is alive. The diary of a session outlives the session.
final class Session: Sendable {
  private let diary: Journal

  init(_ diary: Journal) {
    self.diary = diary
  }

  deinit {
    diary.close()
  }

  func follow(_ settings: BindableActor<Settings>, on context: DeliveryContext) {
    // The handler captures the diary and not the session, so that the diary would record a call that comes too late.
    settings.versioned().observe(self, on: context) { [diary] _, update in diary.record(update) }
  }
}
