internal import ActorBindings

/// The folder of a store while this thread holds the lock of its writers.
///
/// A write has four steps: its bytes go to a file of a temporary name, and to the disk; the lock file says what comes
/// (the *intent*); the file gets its name; the journal says what has come. A process may die between any two of them.
/// Then the next holder of the lock finds an intent that is not in the journal: if the file has its name, the write has
/// happened, and the holder adds it to the journal; otherwise the write has not happened, and its temporary file goes.
/// A reader sees a write when the file gets its name, and hears of it when it is in the journal.
final class LockedFolder {
  /// The size of the journal. Its older half goes when it is full.
  static let journalSize = 1 << 18

  let folder: StoreFolder
  let context: FolderContext
  private let lock: FileDescriptor
  private var journal: FileDescriptor
  private(set) var position: JournalPosition
  /// The folders whose names have changed: the disk must have them before a write is acknowledged.
  private(set) var changedFolders: Set<String> = []

  /// Takes the lock, and repairs what a process left that died while it held the lock.
  ///
  /// - Parameter position: A position in the journal up to which the caller has read it.
  /// - Returns: nil if another descriptor holds the lock and `waits` is false.
  static func open(_ context: FolderContext, after position: JournalPosition?, waits: Bool) throws
    -> LockedFolder?
  {
    while true {
      let folder = try StoreFolder(context.directory)
      let lock = try folder.root.opened(StoreFolder.lock, .lock)
      guard try lock.lock(exclusive: true, waits: waits) else { return nil }
      // The folder may have been emptied while this thread waited: then there is another file to lock.
      let (mine, current) = try (lock.status(), folder.root.status(of: StoreFolder.lock))
      if let current, mine.device == current.device, mine.file == current.file {
        return try LockedFolder(folder, lock, context, after: position)
      }
    }
  }

  private init(
    _ folder: consuming StoreFolder,
    _ lock: consuming FileDescriptor,
    _ context: FolderContext,
    after position: JournalPosition?
  ) throws {
    if let file = try folder.root.open(StoreFolder.journal, .readingAndWriting),
      let reading = try StoreFolder.journal(file, after: position, boot: context.boot)
    {
      journal = file
      self.position = reading.position
    } else {
      let header = try Self.firstHeader(folder, context)
      journal = try Self.makeJournal(folder, header, records: [])
      self.position = JournalPosition(header)
      changedFolders = ["."]
    }
    self.folder = folder
    self.lock = lock
    self.context = context
    try recover()
  }

  /// Adds the last write to the journal if its writer died before it did so.
  private func recover() throws {
    let rest = try journal.read(at: position.offset, count: 4096)
    if let torn = rest.lastIndex(where: { $0 != 0 }) {
      try journal.write([UInt8](repeating: 0, count: torn + 1), at: position.offset)
    }
    guard let intent = try StoreFolder.intent(lock), intent.revision > position.revision else { return }
    let revision = try folder.header(at: intent.path)?.revision
    if intent.isRemoval ? revision == nil : revision == intent.revision {
      try append(intent)
    } else {
      try giveUpIntent()
    }
  }

  private func giveUpIntent() throws {
    try lock.write([0])
    try folder.root.remove(StoreFolder.next)
  }
}

// MARK: - Writing

extension LockedFolder {
  /// Gives an entry new bytes, or removes it if there are none, and returns the revision.
  func put(_ bytes: [UInt8]?, lease: LeaseName?, at path: EntryPath) throws -> UInt64 {
    let record = JournalRecord(revision: position.revision + 1, path: path, isRemoval: bytes == nil)
    let name = StoreFolder.file(of: path)
    try makeRoom(for: record)
    do {
      if let bytes {
        let header = EntryHeader(revision: record.revision, lease: lease?.text, count: bytes.count)
        _ = try makeFile([header.line, bytes], synchronizes: context.synchronizes)
        try makeFolders(for: path)
        try lock.write(record.line)
        try folder.root.rename(StoreFolder.next, to: name)
      } else {
        try lock.write(record.line)
        try folder.root.remove(name)
      }
    } catch {
      // If this fails too, the next holder of the lock does it.
      try? giveUpIntent()
      throw error
    }
    do {
      try append(record)
    } catch {
      throw StoreError.uncertain(
        "the write of \"\(path.key)\" to \(context.name) was not announced: \(error)"
      )
    }
    changedFolders.insert(name.lastFolder)
    return record.revision
  }

  // A key with a long path has folders of its own.
  private func makeFolders(for path: EntryPath) throws {
    for part in path.folders {
      let name = "\(StoreFolder.entries)/\(part)"
      if try folder.root.status(of: name) != nil { continue }
      try folder.root.makeFolder(name)
      changedFolders.insert(name.lastFolder)
    }
  }

  /// Makes the temporary file, complete, and returns its descriptor.
  private func makeFile(_ parts: [[UInt8]], synchronizes: Bool) throws -> FileDescriptor {
    try Self.makeFile(folder, parts, synchronizes: synchronizes)
  }

  private static func makeFile(
    _ folder: borrowing StoreFolder,
    _ parts: [[UInt8]],
    synchronizes: Bool
  ) throws -> FileDescriptor {
    // A process that died may have left one.
    try folder.root.remove(StoreFolder.next)
    let file = try folder.root.opened(StoreFolder.next, .new)
    var offset = 0
    for part in parts {
      try file.write(part, at: offset)
      offset += part.count
    }
    if synchronizes { try file.synchronize() }
    return file
  }
}

// MARK: - The journal

extension LockedFolder {
  private func append(_ record: JournalRecord) throws {
    let line = record.line
    try journal.write(line, at: position.offset)
    _ = position.appended(line)
  }

  /// Drops the older half of the journal if a record does not fit.
  private func makeRoom(for record: JournalRecord) throws {
    guard position.offset + record.line.count > Self.journalSize else { return }
    let start = JournalPosition(position.header)
    guard let all = try StoreFolder.journal(journal, after: start, boot: context.boot)?.records else {
      return
    }
    var kept: [JournalRecord] = []
    var count = 0
    for record in all.reversed() {
      count += record.line.count
      if count > Self.journalSize / 2 { break }
      kept.append(record)
    }
    kept.reverse()
    let floor = all.dropLast(kept.count).last?.revision ?? position.header.floor
    let header = JournalHeader(history: position.header.history, boot: context.boot, floor: floor)
    journal = try Self.makeJournal(folder, header, records: kept)
    var position = JournalPosition(header)
    _ = position.appended(kept.flatMap(\.line))
    self.position = position
  }

  private static func makeJournal(
    _ folder: borrowing StoreFolder,
    _ header: JournalHeader,
    records: [JournalRecord]
  ) throws -> FileDescriptor {
    let lines = header.line + records.flatMap(\.line)
    let zeros = [UInt8](repeating: 0, count: journalSize + 4096 - lines.count)
    let file = try makeFile(folder, [lines, zeros], synchronizes: false)
    try folder.root.rename(StoreFolder.next, to: StoreFolder.journal)
    return file
  }

  /// The header of a new history, which begins after each revision that the folder has had. The time of day lets it
  /// begin after the revisions of a folder that was emptied too: a reader or a writer that still has such a revision
  /// must not take it for a revision of the new history.
  private static func firstHeader(_ folder: borrowing StoreFolder, _ context: FolderContext) throws
    -> JournalHeader
  {
    for name in [StoreFolder.journalFolder, StoreFolder.entries, StoreFolder.leases, StoreFolder.owners] {
      try folder.root.makeFolder(name)
    }
    var floor = FolderContext.microseconds()
    if let file = try folder.root.open(StoreFolder.journal, .reading),
      let header = try JournalHeader(line: file.read(count: JournalHeader.byteLimit)),
      let reading = try StoreFolder.journal(file, after: nil, boot: header.boot)
    {
      floor = max(floor, reading.position.revision)
    }
    for path in try folder.paths() {
      floor = max(floor, try folder.header(at: path)?.revision ?? 0)
    }
    return JournalHeader(history: FolderContext.randomName(), boot: context.boot, floor: floor)
  }
}

// MARK: - Leases

extension LockedFolder {
  /// Makes the file of an owner, and returns its locked descriptor.
  func addOwner(_ owner: String) throws -> FileDescriptor {
    let file = try makeFile([], synchronizes: false)
    // Locked before it gets its name, so that no process takes it for the file of a dead one.
    _ = try file.lock(exclusive: true, waits: false)
    try folder.root.rename(StoreFolder.next, to: StoreFolder.file(ofOwner: owner))
    return file
  }

  func addLease(_ name: LeaseName, deadline: UInt64) throws {
    _ = try makeFile([LeaseFile.line(deadline: deadline)], synchronizes: false)
    try folder.root.rename(StoreFolder.next, to: StoreFolder.file(of: name))
  }

  /// Whether the lease holds. If it has ended, removes its entries.
  func isHeldOrEnds(_ name: LeaseName) throws -> Bool {
    if try folder.isHeld(name, at: context.now()) { return true }
    try end(name)
    return false
  }

  func renew(_ name: LeaseName, deadline: UInt64) throws {
    let file = try folder.root.opened(StoreFolder.file(of: name), .readingAndWriting)
    try file.write(LeaseFile.line(deadline: deadline))
  }

  /// The entry at `path` is about to be written with a lease.
  func note(_ path: EntryPath, in name: LeaseName) throws {
    let file = try folder.root.opened(StoreFolder.file(of: name), .readingAndWriting)
    // A line of a writer that died while it wrote may lack its end. An empty line does no harm.
    try file.write(Array("\n\(path.text)\n".utf8), at: file.status().size)
  }

  /// Ends a lease, and removes the entries that still have it. Can be repeated after it was cut off.
  func end(_ name: LeaseName) throws {
    guard let lease = try folder.lease(name) else { return }
    for path in Set(lease.paths).sorted(by: { $0.text < $1.text })
    where try folder.header(at: path)?.lease == name.text {
      _ = try put(nil, lease: nil, at: path)
    }
    try folder.root.remove(StoreFolder.file(of: name))
  }
}

extension String {
  /// The path without its last part.
  fileprivate var lastFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return String(self[..<slash])
  }
}
