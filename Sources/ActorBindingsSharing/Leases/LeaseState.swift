/// Decides when a lease must be renewed, and until when its holder may believe that the lease lasts. A pure state
/// machine: its caller passes the time, as the duration since the lease was requested.
///
/// The store ends a lease one ttl after the last renewal that reached the store. The holder does not know when a
/// renewal reached the store, only when the request started, which is earlier. So the holder counts from the start of
/// the last request that succeeded. It also subtracts a fifth of the ttl, the *margin*. In this time, the holder stops
/// before another process can have what the lease protects, even if the two clocks run at different rates.
///
/// ### States
/// - *held*: no renewal is under way, and it is known when the next one is due.
/// - *renewing*: a renewal is under way, and it is known when its request started.
/// - *lost*: the holder must not believe in the lease any more. The reason is known.
/// - *released*: the holder does not need the lease any more.
///
/// In *held* and *renewing* the *expiry* is known: four fifths of the ttl after the start of the last request that
/// succeeded.
///
/// ### Transitions
/// | event | held | renewing | lost, released |
/// |---|---|---|---|
/// | `renewerWoke`, before the renewal is due | must wait | – | must stop |
/// | `renewerWoke`, the renewal is due | renewing; must renew | – | must stop |
/// | `renewerWoke`, at or after the expiry | lost; must stop | – | must stop |
/// | `renewed`, before the new expiry | – | held, due a third of the ttl after the start | nothing |
/// | `renewed`, at or after the new expiry | – | lost | nothing |
/// | `renewalFailed`, the lease has ended, or the store refuses | – | lost | nothing |
/// | `renewalFailed`, any other reason | – | held, due a fifteenth of the ttl later | nothing |
/// | `holderLooked`, before the expiry | nothing | nothing | nothing |
/// | `holderLooked`, at or after the expiry | lost | lost | nothing |
/// | `entryRemoved`, `renewerFailed` | lost | lost | nothing |
/// | `holderLeft` | released | released | nothing |
///
/// ### Actions
/// `renewerWoke` returns what the renewer must do. There is one renewer. It sends at most one request at a time, and
/// abandons a request that takes longer than a fifth of the ttl, so that a lost request costs no lease.
///
/// ### Behavior
/// A lease that was lost stays lost: what `holderLooked` has denied once, it never grants again.
package struct LeaseState: Sendable {
  private enum Phase {
    case held(renewalDue: Duration)
    case renewing(start: Duration)
    case lost(StoreError)
    case released
  }

  /// What the renewer must do. All times are durations since the lease was requested.
  package enum RenewalStep: Hashable, Sendable {
    /// Wait until this time, then call `renewerWoke` again.
    case wait(until: Duration)
    /// Send a request, abandon it at this time, and report how it ended.
    case renew(until: Duration)
    case stop
  }

  /// What the holder may believe.
  package enum Belief: Hashable, Sendable {
    /// The lease lasts at least until this time.
    case lasts(until: Duration)
    case lost(StoreError)
    case released
  }

  /// The longest time that one request may take.
  package let patience: Duration

  private let ttl: Duration
  private var phase: Phase
  private var expiry: Duration

  /// The store has granted a lease. The time counts from the start of that request.
  package init(ttl: Duration) {
    // A clock's instant overflows if it is advanced by the longest durations.
    self.ttl = min(ttl, .seconds(100 * 365 * 24 * 3600))
    patience = self.ttl / 5
    expiry = self.ttl * 4 / 5
    phase = .held(renewalDue: self.ttl / 3)
  }
}

// MARK: - The renewer

extension LeaseState {
  /// The renewer is ready to renew the lease, or to wait.
  package mutating func renewerWoke(at now: Duration) -> RenewalStep {
    switch phase {
    case .held where now >= expiry:
      phase = .lost(.leaseEnded)
      return .stop
    case .held(let renewalDue) where now >= renewalDue:
      phase = .renewing(start: now)
      return .renew(until: min(now + patience, expiry))
    case .held(let renewalDue):
      return .wait(until: min(renewalDue, expiry))
    case .renewing:
      preconditionFailure("the renewer of a lease woke while its request was under way")
    case .lost, .released:
      return .stop
    }
  }

  /// The store has renewed the lease.
  package mutating func renewed(at now: Duration) {
    guard case .renewing(let start) = phase else { return }
    expiry = start + ttl * 4 / 5
    phase = now < expiry ? .held(renewalDue: start + ttl / 3) : .lost(.leaseEnded)
  }

  /// A renewal has failed, or was abandoned.
  package mutating func renewalFailed(_ error: any Error, at now: Duration) {
    guard case .renewing = phase else { return }
    if let reason = error as? StoreError, reason.isFinal {
      phase = .lost(reason)
    } else {
      phase = .held(renewalDue: now + ttl / 15)
    }
  }

  /// The renewer has ended although the lease was neither lost nor released: its clock does not wait.
  package mutating func renewerFailed() {
    lose()
  }
}

// MARK: - The holder

extension LeaseState {
  /// The holder wants to know whether the lease lasts.
  package mutating func holderLooked(at now: Duration) -> Belief {
    switch phase {
    case .held, .renewing:
      if now < expiry { return .lasts(until: expiry) }
      phase = .lost(.leaseEnded)
      return .lost(.leaseEnded)
    case .lost(let reason):
      return .lost(reason)
    case .released:
      return .released
    }
  }

  /// The holder has seen that the store holds its entry no more.
  package mutating func entryRemoved() {
    lose()
  }

  /// The holder does not need the lease any more.
  package mutating func holderLeft() {
    switch phase {
    case .held, .renewing: phase = .released
    case .lost, .released: break
    }
  }

  private mutating func lose() {
    switch phase {
    case .held, .renewing: phase = .lost(.leaseEnded)
    case .lost, .released: break
    }
  }
}
