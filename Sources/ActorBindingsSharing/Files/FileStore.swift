internal import ActorBindings

/// A store in a folder: for the processes of one machine, and for state that survives restarts.
///
/// ```swift
/// let store = try FileStore("/var/lib/feed")
/// let flags = SharedCell("flags", in: store, initially: Flags())
/// ```
///
/// Each entry is a file. A process may be killed at any instant: an entry then has its old or its new bytes. A write is
/// acknowledged when the disk holds it, unless ``Durability/processExit`` is chosen. Other processes see a write as
/// soon as the kernel tells them. A store finds what the kernel did not tell when it looks at the folder, once a second.
///
/// A writer holds the lock of the folder while it waits for the disk. If its process is paused there, other processes can
/// neither write nor renew a lease until it continues or dies. Their calls wait for three seconds at most, then throw
/// ``StoreError/unavailable(_:)``, and change nothing. A call also throws this error if other processes write so often
/// that the call does not get the lock within three seconds. Loads seldom need the lock.
///
/// The entries of a lease are removed when the process that granted it dies, when its store object is released, or when
/// the ttl has passed since the last renewal. A process that follows or reads such an entry removes it.
///
/// The folder is for this store only. It must be on a file system of this machine: network file systems do not report
/// the changes of other machines, and may not lock.
public final class FileStore: SharedStore {
  /// What an acknowledged write survives.
  public enum Durability: Hashable, Sendable {
    /// The death of processes, and the loss of power. A write waits for the disk twice.
    case powerLoss
    /// The death of processes. After a loss of power, entries may have older bytes, or be damaged.
    case processExit
  }

  /// `the folder`, and its path.
  public var name: String { access.context.name }
  /// What this store accepts: entries of 16 MiB, keys of 1,024 bytes, leases of one second and more.
  public let limits: StoreLimits
  /// The loops that follow this store.
  public let followers: StoreFollowers

  private let access: FolderAccess
  package let watcher: FolderWatcher
  // Loads do not wait for writes.
  private let loads: BlockingCalls
  private let writes: BlockingCalls
  // Renewals do not wait for writes of this store object.
  private let leaseCalls: BlockingCalls
  private let ownership = LeaseOwnership()

  /// Opens the store of a folder. Creates the folder if there is none; its parent must exist.
  ///
  /// - Parameters:
  ///   - directory: The path of the folder.
  ///   - durability: What an acknowledged write survives.
  ///   - clock: The clock by which the store looks at the folder from time to time, and a call gives up that has not
  ///     got the lock for three seconds.
  /// - Throws: A ``StoreError`` if the folder cannot be opened or created.
  public convenience init(
    _ directory: String,
    durability: Durability = .powerLoss,
    clock: some Clock<Duration> = ContinuousClock()
  ) throws {
    try self.init(directory, durability: durability, clock: clock, scanInterval: .seconds(1))
  }

  /// Opens the store of a folder, as `init(_:durability:clock:)` does.
  ///
  /// - Parameters:
  ///   - scanInterval: The longest time between two looks at the folder, while there is a subscription.
  ///   - patience: The time after which a call that does not get the lock of the folder gives up.
  ///   - boot: The name of the machine's start.
  ///   - now: The clock of leases, in nanoseconds. All processes must have the same.
  package init(
    _ directory: String,
    durability: Durability = .powerLoss,
    clock: some Clock<Duration> = ContinuousClock(),
    scanInterval: Duration,
    patience: Duration = .seconds(3),
    shortestTTL: Duration = .seconds(1),
    boot: String = FolderContext.machineBoot,
    now: @escaping @Sendable () -> UInt64 = FolderContext.machineClock
  ) throws {
    let context = FolderContext(
      directory: FolderContext.absolute(directory),
      synchronizes: durability == .powerLoss,
      boot: boot,
      now: now
    )
    try context.makeDirectory()
    let busy = StoreError.unavailable(
      "the lock of \(context.name) was taken for \(patience): see which process has \(directory)/lock open, or write less often"
    )
    limits = StoreLimits(bytesPerEntry: 1 << 24, bytesPerKey: 1024, shortestTTL: shortestTTL)
    followers = StoreFollowers(clock: clock)
    access = FolderAccess(context)
    watcher = FolderWatcher(access, clock: clock, scanInterval: scanInterval)
    func calls(_ what: String) -> BlockingCalls {
      BlockingCalls(label: "ActorBindings.FileStore.\(what)", clock: clock, patience: patience, busy: busy)
    }
    loads = calls("loads")
    writes = calls("writes")
    leaseCalls = calls("leases")
  }

  /// Reads all entries of a scope, as they are at one revision.
  public func load(_ scope: StoreScope) async throws -> StoreSnapshot {
    if case .key(let key) = scope { try limits.check(key: key, of: name) }
    return try await run(loads) { [access, loads] call in
      // A load needs the lock only if writers leave it no pause, or if there is something to repair.
      for _ in 0..<3 {
        if let snapshot = try access.loadUnlocked(scope) { return snapshot }
      }
      return try access.whileLocked(loads, call) { try $0.load(scope) }
    }
  }

  /// Writes or removes one entry, if the entry is as the caller expects.
  public func write(_ write: StoreWrite) async throws -> StoreWriteResult {
    try limits.check(key: write.key, of: name)
    try limits.check(bytes: write.bytes?.count ?? 0, key: write.key, of: name)
    return try await run(writes) { [access, writes] call in
      try access.whileLocked(writes, call) { try $0.write(write) }
    }
  }

  /// Opens a subscription to the changes of a scope after a revision.
  public func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable {
    // Prepares the folder, if it is new or was emptied.
    _ = try await load(.key("-"))
    let changes = try run { FileChanges(try watcher.subscribe(to: scope, after: revision), watcher) }
    try await changes.confirmed()
    return changes
  }

  private func run<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw access.context.storeError(error) }
  }

  private func run<R: Sendable>(
    _ calls: BlockingCalls,
    _ work: @escaping @Sendable (BlockingCall) throws -> R
  ) async throws -> R {
    do { return try await calls.run(work) } catch { throw access.context.storeError(error) }
  }
}

// MARK: - Leases

extension FileStore {
  /// Grants a lease. It ends when the last reference to this store is released, when this process dies, or when the ttl
  /// has passed since the last renewal.
  public func grantLease(ttl: Duration) async throws -> StoreLease {
    let ttl = max(ttl, limits.shortestTTL)
    return try await run(leaseCalls) { [access, leaseCalls, ownership] call in
      try access.whileLocked(leaseCalls, call) { folder in
        let name = try ownership.owner(in: folder).nextName()
        try folder.addLease(name, deadline: access.context.now() + ttl.nanoseconds)
        return StoreLease(id: name.text, ttl: ttl)
      }
    }
  }

  /// Renews a lease.
  public func renew(_ lease: StoreLease) async throws {
    guard let name = LeaseName(lease.id) else { throw StoreError.leaseEnded }
    try await run(leaseCalls) { [access, leaseCalls] call in
      try access.whileLocked(leaseCalls, call) { folder in
        guard try folder.isHeldOrEnds(name) else { throw StoreError.leaseEnded }
        try folder.renew(name, deadline: access.context.now() + lease.ttl.nanoseconds)
      }
    }
  }

  /// Ends a lease, and removes its entries. Does nothing if the lease has ended.
  public func revoke(_ lease: StoreLease) async throws {
    guard let name = LeaseName(lease.id) else { return }
    try await run(leaseCalls) { [access, leaseCalls] call in
      try access.whileLocked(leaseCalls, call) { try $0.end(name) }
    }
  }
}
