/// The right to lead, which ``SharedStore/withLeadership(of:ttl:clock:_:)`` hands to its body.
public struct Leadership: Sendable {
  /// The number of this leadership: greater than the number of each earlier leadership of the same name, as long as the
  /// store keeps its history.
  ///
  /// Send it along with each request to a system that must obey only the newest leader, and let that system refuse
  /// requests with a smaller number than it has seen. This also protects against a leader that was paused and does not
  /// know yet that another process leads.
  public let fencingNumber: UInt64

  private let isLeaseHeld: @Sendable () -> Bool

  init(fencingNumber: UInt64, isHeld: @escaping @Sendable () -> Bool) {
    self.fencingNumber = fencingNumber
    isLeaseHeld = isHeld
  }

  /// Whether the body may still act as the leader, by the local clock.
  ///
  /// Read it before an effect that cannot be undone. Once it was false, it stays false. The process may be paused
  /// between this check and the effect: only ``fencingNumber`` protects against that.
  public var isHeld: Bool { isLeaseHeld() }
}

extension SharedStore {
  /// Waits until this process leads, then runs `body` while it does.
  ///
  /// Among all processes that call this method with one name and one store, at most one is the leader at a time. The
  /// candidates lead in the order in which they came. A candidate waits for as long as it takes; cancel its task to end
  /// the wait. If the store cannot be reached, the candidate tries again.
  ///
  /// Each candidate writes one entry, under the prefix `leadership/NAME/`, with a lease that it renews. It follows only
  /// the entry of the candidate before it. So when a leader leaves, one candidate wakes and loads the entries of this
  /// prefix, and no candidate writes. If the process of a candidate dies, its entry is gone one ttl later.
  ///
  /// The leader's *lease is lost* if no renewal succeeded for four fifths of the ttl, counted by the local clock from
  /// the start of the last renewal that did, or if the store has ended it or holds the entry no more. Then the library
  /// cancels the body. The last fifth of the ttl is the time that the body has to end before another process leads.
  ///
  /// The method returns or throws only after the body has ended. Then the entry is removed. (If the store does not
  /// answer within a fifth of the ttl, the entry stays until its lease ends.) If the caller is cancelled, the body is
  /// cancelled, and the process leads until the body has ended.
  ///
  /// If the body ignores its cancellation after the lease was lost, another process may lead while it runs. The same
  /// holds while the process is paused, until its tasks run again. In these cases the fencing number protects what the
  /// leader writes elsewhere.
  ///
  /// - Parameters:
  ///   - name: The name of what is led. It must not be empty, and contains no slash.
  ///   - ttl: The time after which another process leads if this process has died. At least the store's
  ///     ``StoreLimits/shortestTTL``.
  ///   - clock: The clock that measures the lease. It must go on while the system sleeps, as `ContinuousClock` does.
  ///   - body: What the leader does. Its task is cancelled when the lease is lost.
  /// - Returns: The result of the body.
  /// - Throws: The error of the body; ``StoreError/leaseEnded`` if the lease was lost before the body ended, unless the
  ///   body threw an error other than `CancellationError`; ``StoreError/refused(_:)`` if the store refuses;
  ///   `CancellationError` if the caller is cancelled before it leads.
  public func withLeadership<Answer: Sendable, C: Clock>(
    of name: String,
    ttl: Duration = .seconds(5),
    clock: C = ContinuousClock(),
    _ body: @escaping @Sendable (_ leadership: Leadership) async throws -> Answer
  ) async throws -> Answer where C.Duration == Duration {
    // By bytes: a slash and a combining accent are one character.
    let forbidden = [UInt8(ascii: "/"), 0]
    guard !name.isEmpty, !name.utf8.contains(where: forbidden.contains), name != ".", name != ".." else {
      throw StoreError.refused(
        "'\(name)' cannot be led over \(self.name): choose a name that is not empty, and contains no slash"
      )
    }
    try checkTTL(ttl, of: "the leadership '\(name)'")
    var failures = 0
    while true {
      let candidacy = try await Candidacy(of: name, ttl: ttl, clock: clock, in: self)
      if let result = try await candidacy.run(body) { return try result.get() }
      // The lease has ended before this process led.
      failures += 1
      try await clock.sleep(afterFailures: failures)
    }
  }

  /// Throws an error that names the remedy if a ttl is too short for this store.
  func checkTTL(_ ttl: Duration, of subject: String) throws {
    guard ttl < limits.shortestTTL else { return }
    throw StoreError.refused(
      "the ttl of \(subject), \(ttl), is too short for \(name): choose at least \(limits.shortestTTL)"
    )
  }
}
