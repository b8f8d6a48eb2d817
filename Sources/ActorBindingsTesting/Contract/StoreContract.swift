public import ActorBindingsSharing

/// The contract suite: what each store must do.
///
/// Run it against a store of your own. With Swift Testing:
///
/// ```swift
/// @Test(arguments: StoreContract.checks)
/// func `keeps the contract`(_ check: StoreContract.Check) async throws {
///   try await check.run(on: MyStore())
/// }
/// ```
///
/// Each check writes only keys below a prefix of its own that no other run uses. So all checks may run on one store, at
/// the same time too. They leave their entries behind.
public enum StoreContract: Sendable {
  /// All checks.
  public static let checks: [Check] = reading + writing + following + leasing + ending
}

extension StoreContract {
  /// One rule of the contract, and the code that checks it.
  public struct Check: Sendable, CustomStringConvertible {
    /// The rule, as a sentence without a full stop.
    public let name: String
    private let body: @Sendable (ContractRun) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (ContractRun) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Checks the rule.
    ///
    /// - Parameters:
    ///   - store: The store. The check needs no other writers to be absent.
    ///   - patience: The time that each step may take, before it counts as failed.
    ///   - clock: The clock by which the check waits; the store must end leases by the same clock.
    ///   - loseHistory: Makes the store forget all changes up to now, as a compaction does. Without it, one check does
    ///     nothing.
    /// - Throws: A ``ContractFailure`` if the store breaks the rule, or the error of the store.
    public func run(
      on store: any SharedStore,
      patience: Duration = .seconds(60),
      clock: some Clock<Duration> = ContinuousClock(),
      loseHistory: (@Sendable () async throws -> Void)? = nil
    ) async throws {
      try await body(
        ContractRun(
          check: name,
          store: store,
          patience: patience,
          time: Timeline(clock),
          loseHistory: loseHistory
        )
      )
    }
  }
}

/// The failure of one check of the contract suite.
public struct ContractFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the check.
  public let check: String
  /// What the store did, and what it should have done.
  public let message: String

  /// The name of the check and the message.
  public var description: String { "\(check): \(message)" }
}
