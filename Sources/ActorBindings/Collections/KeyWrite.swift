/// One write to one key of a dictionary, as the watchers of this key read it.
@usableFromInline
package struct KeyWrite<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  @usableFromInline package let key: Key
  /// The value of the key after the write; nil if the write has removed the key.
  @usableFromInline package let element: Element?
  /// Tells the entry that was written from all others; nil if the write has removed it.
  @usableFromInline package let mark: EntryMark?
  /// Tells the entry that was there before from all others; nil if there was none.
  @usableFromInline package let formerMark: EntryMark?
  /// The version of the dictionary that has the write.
  @usableFromInline package let version: UInt64
  /// The number of the chain that it belongs to: see `WatchedHash`.
  @usableFromInline package internal(set) var chain: UInt64 = 0

  @usableFromInline
  package init(_ key: Key, _ element: Element?, mark: EntryMark?, formerMark: EntryMark?, version: UInt64) {
    self.key = key
    self.element = element
    self.mark = mark
    self.formerMark = formerMark
    self.version = version
  }
}

/// A watched hash: what was written to the keys that have it, and the watchers that wait for more.
///
/// Under the lock of the dictionary's cell no two keys are compared, for that is the user's code. So what is written is
/// kept by the hash of its key. Two writes in a row concern the same key if the second one replaces the entry that the first
/// one has written. Such writes are a *chain*: a watcher compares the key once for each chain, without the lock. Most of the
/// time a hash stands for one key, and has one chain.
// @unchecked: guarded by the lock of the dictionary's cell.
@usableFromInline
package final class WatchedHash<Key: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
  @usableFromInline package typealias Node = LogNode<KeyWrite<Key, Element>?>

  @usableFromInline let hash: UInt
  /// The version of the dictionary when it was watched first.
  @usableFromInline let firstVersion: UInt64
  // Guarded, so accesses do not overlap, and need not be checked.
  /// The newest write. It begins with a node that stands for the writes before the first watcher.
  @exclusivity(unchecked) @usableFromInline package private(set) var newest = Node(nil)
  /// How many writes there were.
  @exclusivity(unchecked) @usableFromInline package private(set) var count: UInt64 = 0
  /// The number of the newest chain: that of its first write.
  @exclusivity(unchecked) @usableFromInline package private(set) var chain: UInt64 = 0
  /// The feeders of watchers that have seen the newest write.
  @exclusivity(unchecked) @usableFromInline var waiting = WaitList()
  @exclusivity(unchecked) @usableFromInline var watchers = 0

  init(_ hash: UInt, at version: UInt64) {
    self.hash = hash
    firstVersion = version
  }

  /// Adds a write, and takes out the watchers that wait. A write that the first watcher has found in the dictionary is left
  /// out.
  ///
  /// - Parameter outdated: Is handed the write before it, to be released after the lock.
  @usableFromInline
  package func add(_ write: KeyWrite<Key, Element>, _ outdated: inout Node?) -> Woken {
    if write.version <= firstVersion { return Woken(first: nil) }
    var write = write
    unsafe count &+= 1
    if let former = write.formerMark, unsafe newest.value?.mark == former {
      write.chain = unsafe chain
    } else {
      write.chain = unsafe count
      unsafe chain = count
    }
    let node = Node(write)
    unsafe newest.next = node
    outdated = unsafe newest
    unsafe newest = node
    return unsafe waiting.takeAll()
  }
}
