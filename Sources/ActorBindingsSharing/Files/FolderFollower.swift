/// The work of the thread that watches a folder.
///
/// The journal says which entries have changed; their files say how. A turn reads the new records, passes them to the
/// subscriptions of their scope, and reads files for the readers that wait. From time to time it *scans*: it looks for
/// leases that have ended, and for a write whose writer died before the journal had it.
struct FolderFollower: ~Copyable {
  /// A batch ends with the entry that makes it larger than this.
  private static let bytesPerBatch = 1 << 20
  private static let recordsPerBatch = 64
  /// The delay until the next attempt if another process holds the lock.
  private static let retryDelay = Duration.milliseconds(5)

  private let access: FolderAccess
  private let scanInterval: Duration
  private var events: FolderEvents?
  private var position: JournalPosition?
  private var subscriptions: [Int: FileSubscription] = [:]
  private var index = ScopeIndex()
  private var leases = LeaseDeadlines()
  private var news = FolderNews()
  // The scans that follow soon after the death of an owner was reported: the kernel reports that a file is closed
  // shortly before it releases the lock of the file.
  private var soonScans = 0

  init(_ access: FolderAccess, scanInterval: Duration) {
    self.access = access
    self.scanInterval = scanInterval
  }

  /// Waits until there is something to do.
  mutating func wait(_ waker: Waker) {
    if let news = events?.wait(waker) {
      self.news.ownersChanged = self.news.ownersChanged || news.ownersChanged
      self.news.isLost = self.news.isLost || news.isLost
    } else {
      waker.wait()
    }
  }

  /// Does what is to be done, and returns the delay until the next scan, if it has changed.
  mutating func turn(_ look: FolderWatcherState.Look) -> Duration? {
    for subscription in look.arrived { subscriptions[subscription.id] = subscription }
    let isFirst = events == nil
    do {
      let touched = try follow(arrived: look.arrived)
      for subscription in look.departed { forget(subscription) }
      try serve(touched.union(look.asking))
      if news.ownersChanged { soonScans = 10 }
      guard isFirst || look.scanIsDue || news.ownersChanged || leases.hasUnknown else { return nil }
      news.ownersChanged = false
      return try scan()
    } catch {
      fail(access.context.storeError(error))
      return nil
    }
  }

  /// All subscriptions end. The next one begins from nothing.
  private mutating func fail(_ error: any Error) {
    subscriptions.values.forEach { $0.failed(error) }
    subscriptions = [:]
    index = ScopeIndex()
    position = nil
    events = nil
    news = FolderNews()
    leases = LeaseDeadlines()
  }

  private mutating func forget(_ subscription: FileSubscription) {
    if subscriptions.removeValue(forKey: subscription.id) != nil {
      index.left(subscription.id, subscription.scope)
    }
  }
}

// MARK: - Following the journal

extension FolderFollower {
  /// Reads the new records, and returns the subscriptions that have some.
  private mutating func follow(arrived: [FileSubscription]) throws -> Set<Int> {
    try watch()
    let folder = try StoreFolder(access.context.directory)
    guard let reading = try folder.journal(after: position, boot: access.context.boot) else {
      throw StoreError.unavailable("the entries of \(access.context.name) were removed: load them again")
    }
    var touched: Set<Int> = []
    if let position {
      // Another history, or more writes at once than the journal holds.
      if reading.position.header.history != position.header.history
        || reading.position.header.floor > position.revision
      {
        throw StoreError.historyLost
      }
      for record in reading.records where record.revision > position.revision {
        for id in index.ids(for: record.path) {
          subscriptions[id]?.recorded(record)
          touched.insert(id)
        }
      }
    }
    position = reading.position
    for subscription in arrived { try open(subscription, folder) }
    return touched.union(arrived.map(\.id))
  }

  private mutating func watch() throws {
    if news.isLost {
      throw StoreError.unavailable("\(access.context.name) was changed: load its entries again")
    }
    if events != nil { return }
    events = try FolderEvents(access.context.directory)
  }

  private mutating func open(_ subscription: FileSubscription, _ folder: borrowing StoreFolder) throws {
    guard let all = try folder.journal(after: nil, boot: access.context.boot),
      (all.position.header.floor...all.position.revision).contains(subscription.revision)
    else {
      subscriptions[subscription.id] = nil
      return subscription.failed(StoreError.historyLost)
    }
    index.joined(subscription.id, subscription.scope)
    let records = all.records.filter { subscription.scope.contains($0.path.key) }
    subscription.opened(records, through: all.position.revision)
  }

  /// Reads files for the readers that wait.
  private mutating func serve(_ ids: Set<Int>) throws {
    if ids.isEmpty { return }
    let folder = try StoreFolder(access.context.directory)
    for id in ids {
      if let subscription = subscriptions[id] { subscription.delivered(try batch(for: subscription, folder)) }
    }
  }

  private mutating func batch(
    for subscription: FileSubscription,
    _ folder: borrowing StoreFolder
  ) throws -> [StoreChange] {
    var changes: [StoreChange] = []
    var bytes = 0
    while bytes < Self.bytesPerBatch, changes.count < Self.recordsPerBatch,
      let record = subscription.turnCame(limit: 1).first
    {
      if record.isRemoval {
        changes.append(.removed(key: record.path.key, revision: StoreRevision(record.revision)))
      } else if let file = try folder.entry(at: record.path), file.header.revision == record.revision {
        changes.append(.written(StoreEntry(record.path, file)))
        bytes += file.bytes.count
        if let lease = file.header.lease { leases.found(lease) }
      }
      // Otherwise the entry has been written again: its next record follows.
    }
    return changes
  }
}

// MARK: - Scanning

extension FolderFollower {
  /// Ends leases, and repairs what a dead writer left. Returns the delay until the next scan.
  private mutating func scan() throws -> Duration {
    let folder = try StoreFolder(access.context.directory)
    let now = access.context.now()
    let dead = try leases.scan(folder, at: now)
    let isCutOff = try (folder.intent()?.revision ?? 0) > (position?.revision ?? 0)
    let hasDeadOwner = try folder.root.names(in: StoreFolder.owners).contains { try !folder.owns($0) }
    if !dead.isEmpty || isCutOff || hasDeadOwner {
      let isDone: Void? = try access.whileLocked(waits: false) { folder in
        for name in dead { _ = try folder.isHeldOrEnds(name) }
        try folder.removeDeadOwners()
      }
      // The journal has new records, or another process holds the lock and may be repairing the same.
      if isDone == nil || isCutOff { return Self.retryDelay }
    }
    if soonScans > 0 {
      soonScans -= 1
      return Self.retryDelay
    }
    guard let next = leases.next else { return scanInterval }
    return min(scanInterval, .nanoseconds(Int64(clamping: next > now ? next - now : 0)) + .milliseconds(1))
  }
}

/// The instants at which the leases of a folder end, as far as they were read. A lease that is renewed is read again
/// when the old instant has come.
struct LeaseDeadlines {
  private var deadlines: [LeaseName: UInt64] = [:]
  /// Whether an entry has a lease that no scan has met.
  private(set) var hasUnknown = false

  /// The next instant at which a lease ends, unless it is renewed.
  var next: UInt64? { deadlines.values.min() }

  /// An entry has a lease.
  mutating func found(_ text: String) {
    if let name = LeaseName(text), deadlines[name] == nil { hasUnknown = true }
  }

  /// Returns the leases that have ended.
  mutating func scan(_ folder: borrowing StoreFolder, at now: UInt64) throws -> [LeaseName] {
    hasUnknown = false
    var known: [LeaseName: UInt64] = [:]
    var owners: [String: Bool] = [:]
    var dead: [LeaseName] = []
    for text in try folder.root.names(in: StoreFolder.leases) {
      guard let name = LeaseName(text) else { continue }
      if owners[name.owner] == nil { owners[name.owner] = try folder.owns(name.owner) }
      var deadline = deadlines[name]
      if deadline ?? 0 <= now { deadline = try folder.lease(name)?.deadline }
      if let deadline, now < deadline, owners[name.owner] == true {
        known[name] = deadline
      } else {
        dead.append(name)
      }
    }
    deadlines = known
    return dead
  }
}

extension LockedFolder {
  /// Removes the files of owners that have died and have no leases.
  func removeDeadOwners() throws {
    let leases = try Set(folder.root.names(in: StoreFolder.leases).compactMap { LeaseName($0)?.owner })
    for owner in try folder.root.names(in: StoreFolder.owners)
    where try !leases.contains(owner) && !folder.owns(owner) {
      try folder.root.remove(StoreFolder.file(ofOwner: owner))
    }
  }
}
