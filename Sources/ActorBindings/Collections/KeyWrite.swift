public import Synchronization

/// One write to one key of a dictionary, as the watchers of this key read it.
@usableFromInline
package struct KeyWrite<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline package let key: Key
  /// The value of the key after the write; nil if the write has removed the key.
  @usableFromInline package internal(set) var element: Element?
  /// The write ID of the written entry; nil if the write has removed the entry.
  @usableFromInline package internal(set) var writeID: WriteID?
  /// The write ID of the key's entry before the write; nil if the key had no entry.
  @usableFromInline package internal(set) var formerWriteID: WriteID?
  /// The first version of the dictionary that includes the write.
  @usableFromInline package internal(set) var version: UInt64
  /// The instant of the write; `unordered` if no reader compared instants at the time of the write.
  @usableFromInline package internal(set) var instant = LogicalInstant.unordered
  /// The number of the chain that the write belongs to: see `WatchedHash`.
  @usableFromInline package internal(set) var chain: UInt64 = 0

  @usableFromInline
  package init(_ key: Key, _ element: Element?, writeID: WriteID?, formerWriteID: WriteID?, version: UInt64) {
    self.key = key
    self.element = element
    self.writeID = writeID
    self.formerWriteID = formerWriteID
    self.version = version
  }

  /// Makes this the write `other`, which comes next in the same chain. The key and the chain stay.
  @inlinable
  mutating func replaced(by other: KeyWrite) {
    element = other.element
    writeID = other.writeID
    formerWriteID = other.formerWriteID
    version = other.version
    instant = other.instant
  }
}

/// A watched hash: the log of the writes to the keys with this hash, and the watchers that wait for the next write.
///
/// Comparing keys runs user code, which must not run under the lock of the dictionary's cell. So a writer finds the log
/// by the hash of the key, and all keys with one hash share one log. Two consecutive writes concern the same key if the
/// second write replaces the entry that the first write made. Such writes form a *chain*: a watcher compares the key
/// once for each chain, without the lock. Most of the time a hash belongs to one key, and has one chain.
///
/// Only a reader that wants all writes needs more than the newest write. So the log has nodes only while a reader holds
/// one of them. Otherwise the object itself has the newest write: a write that continues the chain replaces it in place,
/// allocates nothing, and touches no memory besides the object.
// @unchecked: guarded by the lock of the dictionary's cell.
@usableFromInline
package final class WatchedHash<Key: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
  @usableFromInline package typealias Node = LogNode<KeyWrite<Key, Element>?>

  @usableFromInline let hash: UInt
  /// The version of the dictionary when the first watcher joined.
  @usableFromInline let firstVersion: UInt64
  // The number of writes that were ever added to the log. A writer stores it under the lock of the dictionary's cell; any
  // thread may load it without the lock.
  @usableFromInline let writes = Atomic<UInt64>(0)
  // The lock of the dictionary's cell guards these variables. So accesses do not overlap, and need no exclusivity check.
  // Only code in this file and in `WatchedKeysState.swift` changes them.
  /// The node of the newest write, if a reader may hold it; otherwise nil.
  @exclusivity(unchecked) @usableFromInline package internal(set) var newestNode: Node?
  // The newest write, if it has no node. If there has been no write since the first watcher joined: the entry that a
  // watcher has found in the dictionary, or nil.
  @exclusivity(unchecked) @usableFromInline var storedNewest: KeyWrite<Key, Element>?
  /// The number of the newest chain: the number of its first write, or `chainOfFoundEntry`.
  @exclusivity(unchecked) @usableFromInline package internal(set) var chain: UInt64 = 0
  /// The parked waiters of the watchers, which the next write wakes.
  @exclusivity(unchecked) @usableFromInline var waiting = WaitList()
  @exclusivity(unchecked) @usableFromInline var watchers = 0
  /// What the next writer touches when it wakes the watcher.
  @exclusivity(unchecked) @usableFromInline var path = WakePath()

  @inlinable
  package init(_ hash: UInt, at version: UInt64) {
    self.hash = hash
    firstVersion = version
  }

  /// The number of writes that were ever added to the log.
  @inlinable
  package var count: UInt64 { writes.load(ordering: .acquiring) }

  /// Asks the processor for the objects that the next writer touches when it wakes the watcher.
  @inlinable
  func prefetchWhileLocked() {
    unsafe path.prefetch(waiting.first.map(WakePath.address) ?? 0)
  }

  /// The number of a chain that begins with a found entry. No write has this number, because writes count from 1. A hash
  /// has at most one such chain.
  @inlinable package static var chainOfFoundEntry: UInt64 { .max }

  /// The newest write. If there has been none since the first watcher joined: the entry that a watcher has found in the
  /// dictionary, or nil.
  @inlinable
  package var newest: KeyWrite<Key, Element>? {
    if let node = unsafe newestNode { node.value } else { unsafe storedNewest }
  }

  /// Returns the node of the newest write, for a reader that wants all later writes: they follow the node while the
  /// reader holds it. A node without a write, or with an entry that a watcher has found, stands for all earlier writes.
  @inlinable
  package func nodeWhileLocked() -> Node {
    if let node = unsafe newestNode { return node }
    let node = unsafe Node(storedNewest.take())
    unsafe newestNode = node
    return node
  }

  /// Begins a chain with the entry that a watcher has found in the dictionary, if there has been no write since the first
  /// watcher joined. Then the next write to the key of the entry continues the chain, so the watcher knows the key of that
  /// write without a comparison.
  ///
  /// The chain gets a new number, because a watcher that joined earlier does not know the key of the entry. The entry may
  /// be newer than the log: the dictionary may include a batch that is not distributed yet. Then the next write in the
  /// log has not replaced this entry, and begins another chain.
  ///
  /// - Returns: Whether the entry begins a chain.
  @inlinable
  package func beginChainWhileLocked(with entry: KeyWrite<Key, Element>) -> Bool {
    guard entry.writeID != nil, unsafe newestNode == nil, unsafe storedNewest == nil else { return false }
    var entry = entry
    entry.chain = Self.chainOfFoundEntry
    unsafe storedNewest = entry
    unsafe chain = Self.chainOfFoundEntry
    return true
  }

  /// Adds a write that replaces an entry, as `addWhileLocked` does. The caller holds the former value of the entry until
  /// after the lock.
  ///
  /// Most of the time the newest write has no node, because no reader wants all writes. If the write continues the
  /// chain of the newest write, this function changes the newest write in place. The old value in it is a copy of the
  /// entry's former value: their write IDs are equal. So to release it under the lock only counts references, and runs
  /// no user code. The same holds for an entry that a watcher has found. The key stays, because a chain has one key.
  @inlinable
  package func replaceWhileLocked(_ write: KeyWrite<Key, Element>, _ outdated: inout Node?) -> Woken {
    guard let former = write.formerWriteID, unsafe storedNewest?.writeID == former
    else { return addWhileLocked(write, &outdated) }
    writes.store(writes.load(ordering: .relaxed) &+ 1, ordering: .releasing)
    unsafe storedNewest?.replaced(by: write)
    return unsafe waiting.takeAll()
  }

  /// Adds a write to the log, and removes and returns the waiters. Does nothing if the first watcher has already found
  /// the write in the dictionary.
  ///
  /// - Parameter outdated: Receives a node with the previous write, which the caller must release after the lock.
  @inlinable
  package func addWhileLocked(_ write: KeyWrite<Key, Element>, _ outdated: inout Node?) -> Woken {
    if write.version <= firstVersion { return Woken(first: nil) }
    var write = write
    let count = writes.load(ordering: .relaxed) &+ 1
    writes.store(count, ordering: .releasing)
    if let former = write.formerWriteID, newest?.writeID == former {
      write.chain = unsafe chain
    } else {
      write.chain = count
      unsafe chain = count
    }
    if unsafe !Node.isSole(&newestNode), let held = unsafe newestNode {
      let node = Node(write)
      held.next = node
      outdated = held
      unsafe newestNode = node
    } else {
      outdated = unsafe newestNode.take() ?? storedNewest.take().map { Node($0) }
      unsafe storedNewest = write
    }
    return unsafe waiting.takeAll()
  }
}
