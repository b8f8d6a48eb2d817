/// The open folder of a store, read without its lock.
///
/// The folder contains:
///
/// - `entries/…`: a file for each entry, whose path `EntryPath` makes of the key.
/// - `journal/current`: the latest writes. Its folder has no other file, so that a watch of that folder reports writes.
/// - `lock`: the file whose lock a writer holds. It contains the write that its holder is about to make.
/// - `owners/…`: a file for each store object that has granted leases. Its process holds the lock of the file.
/// - `leases/…`: a file for each lease.
/// - `next`: what the holder of the lock is writing, until it is complete and gets its name.
struct StoreFolder: ~Copyable, Sendable {
  static let lock = "lock"
  static let journalFolder = "journal"
  static let journal = "journal/current"
  static let owners = "owners"
  static let leases = "leases"
  static let entries = "entries"
  static let next = "next"

  static func file(of path: EntryPath) -> String { "\(entries)/\(path.text)" }
  static func file(of lease: LeaseName) -> String { "\(leases)/\(lease.text)" }
  static func file(ofOwner owner: String) -> String { "\(owners)/\(owner)" }

  let root: FileDescriptor

  init(_ directory: String) throws(SystemError) {
    root = try FileDescriptor(folder: directory)
  }
}

// MARK: - Entries

extension StoreFolder {
  /// The entry at a path; nil if there is none.
  func entry(at path: EntryPath) throws -> EntryFile? {
    let name = Self.file(of: path)
    guard let file = try root.open(name, .reading) else { return nil }
    guard let entry = try EntryFile(file.readAll()) else { throw DamagedFile(path: name) }
    return entry
  }

  /// The header of the entry at a path; nil if there is none.
  func header(at path: EntryPath) throws -> EntryHeader? {
    let name = Self.file(of: path)
    guard let file = try root.open(name, .reading) else { return nil }
    guard let header = try EntryHeader(line: file.read(count: EntryHeader.byteLimit))
    else { throw DamagedFile(path: name) }
    return header
  }

  /// The paths of the entries of a scope that have a file.
  func paths(in scope: StoreScope) throws -> [EntryPath] {
    switch scope {
    case .key(let key): [EntryPath(key: key)]
    case .prefix: try paths(below: "").filter { scope.contains($0.key) }
    }
  }

  /// The paths of all entries.
  func paths() throws -> [EntryPath] {
    try paths(below: "")
  }

  private func paths(below folder: String) throws -> [EntryPath] {
    var found: [EntryPath] = []
    for name in try root.names(in: "\(Self.entries)/\(folder)") {
      if name.hasSuffix("+") {
        found += try paths(below: "\(folder)\(name)/")
      } else if let path = EntryPath(text: folder + name) {
        found.append(path)
      }
    }
    return found
  }
}

// MARK: - The journal

extension StoreFolder {
  /// What was read of the journal.
  struct JournalReading {
    /// The end of what was read.
    var position: JournalPosition
    /// The records between the old position and the new one, or all records if the old position is of no use.
    var records: [JournalRecord] = []
  }

  /// Reads the journal from a position on, if that position is in the current file; otherwise from its beginning.
  /// Returns nil if there is no journal of the machine's current start.
  func journal(after position: JournalPosition?, boot: String) throws -> JournalReading? {
    guard let file = try root.open(Self.journal, .reading) else { return nil }
    return try Self.journal(file, after: position, boot: boot)
  }

  static func journal(
    _ file: borrowing FileDescriptor,
    after position: JournalPosition?,
    boot: String
  ) throws -> JournalReading? {
    let start = try file.read(count: JournalHeader.byteLimit)
    guard let header = JournalHeader(line: start) else {
      if start.starts(with: "ActorBindings journal ".utf8) { throw UnknownFormat() }
      return nil
    }
    guard header.boot == boot else { return nil }
    let known = position.flatMap { $0.header == header ? $0 : nil }
    var reading = JournalReading(position: known ?? JournalPosition(header))
    while true {
      let offset = reading.position.offset
      reading.records += try reading.position.appended(file.read(at: offset, count: 1 << 14))
      if reading.position.offset == offset { return reading }
    }
  }

  /// The write that the holder of the lock is about to make, or that its last holder made.
  func intent() throws -> JournalRecord? {
    guard let file = try root.open(Self.lock, .reading) else { return nil }
    return try Self.intent(file)
  }

  static func intent(_ lock: borrowing FileDescriptor) throws -> JournalRecord? {
    let line = try lock.read(count: 4096).prefix { $0 != UInt8(ascii: "\n") }
    return JournalRecord(line: line)
  }
}

// MARK: - Leases

extension StoreFolder {
  /// The file of a lease; nil if the lease has ended.
  func lease(_ name: LeaseName) throws -> LeaseFile? {
    guard let file = try root.open(Self.file(of: name), .reading) else { return nil }
    return try LeaseFile(file.readAll())
  }

  /// Whether the process of the store object of this name lives, and still has the object.
  func owns(_ owner: String) throws -> Bool {
    // A descriptor for reading only: closing it must not look like the death of the owner.
    guard let file = try root.open(Self.file(ofOwner: owner), .reading) else { return false }
    return try !file.lock(exclusive: false, waits: false)
  }

  /// Whether a lease holds at an instant of the machine's clock.
  func isHeld(_ name: LeaseName, at now: UInt64) throws -> Bool {
    guard let lease = try lease(name), now < lease.deadline else { return false }
    return try owns(name.owner)
  }

  /// Whether an entry has a lease that has ended.
  func isOver(_ header: EntryHeader, at now: UInt64) throws -> Bool {
    guard let text = header.lease else { return false }
    guard let name = LeaseName(text) else { return true }
    return try !isHeld(name, at: now)
  }
}

/// A file that no store has written.
struct DamagedFile: Error {
  let path: String
}

/// A later version of this library has written the folder.
struct UnknownFormat: Error {}
