/// A store of entries that several processes read and write: the engine behind shared cells.
///
/// An entry has a key, bytes, and the revision of its last write. A conforming type only moves bytes: the shared cells
/// encode values, follow changes, try again and resolve lost acknowledgements. Conform a class of your own to this
/// protocol to share cells over another engine, and let the contract suite of `ActorBindingsTesting` check it.
///
/// Any task may call any method at any time. A method throws a ``StoreError``; if the caller's task is cancelled, it
/// ends promptly and throws `CancellationError`.
public protocol SharedStore: AnyObject, Sendable {
  /// A name for messages, such as "etcd at 127.0.0.1:2379".
  var name: String { get }

  /// What this store accepts.
  var limits: StoreLimits { get }

  /// The loops that follow this store. Declare it as `let followers = StoreFollowers()`.
  var followers: StoreFollowers { get }

  /// Reads all entries of a scope, as they are at one revision that is at least as new as any write that was
  /// acknowledged before this call.
  func load(_ scope: StoreScope) async throws -> StoreSnapshot

  /// Opens a subscription to the changes of a scope after a revision, and returns once the engine has confirmed it.
  ///
  /// The subscription yields the changes in the order of their revisions; it may leave out a change of a key that a
  /// later change of that key replaces. It throws ``StoreError/historyLost`` if the engine no longer has the changes
  /// after `revision`, and another error if the connection is lost. It may yield an empty array to show that the
  /// connection is alive. Releasing its iterator, or cancelling the task that iterates it, ends the subscription.
  ///
  /// While the handlers of cells run, nothing asks the subscription for changes. So an engine that collects changes
  /// meanwhile should keep only the newest change of each key.
  func changes(
    in scope: StoreScope,
    after revision: StoreRevision
  ) async throws -> any AsyncSequence<[StoreChange], any Error> & Sendable

  /// Writes or removes one entry, if the entry is as the caller expects.
  ///
  /// - Returns: Whether the write was applied; if not, what the entry is instead.
  /// - Throws: ``StoreError/uncertain(_:)`` if the write may have been applied, but the acknowledgement was lost. After
  ///   any other error, the write was not applied, and never will be.
  func write(_ write: StoreWrite) async throws -> StoreWriteResult

  /// Grants a lease: when it ends, the store removes all entries that were written with it.
  ///
  /// - Parameter ttl: The time after the last renewal at which the lease ends. The store may grant a longer one.
  func grantLease(ttl: Duration) async throws -> StoreLease

  /// Renews a lease.
  ///
  /// - Throws: ``StoreError/leaseEnded`` if the lease has ended.
  func renew(_ lease: StoreLease) async throws

  /// Ends a lease, and removes its entries. Does nothing if the lease has ended.
  func revoke(_ lease: StoreLease) async throws
}
