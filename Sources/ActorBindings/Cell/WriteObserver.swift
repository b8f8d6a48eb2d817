/// Notes each write of one cell, in the step in which the write takes effect. It also parks in the cell as a waiter.
///
/// The problem: a combination of very many cells must not look at all of them to find the few that were written. If
/// each writer told the combination after the lock, a reader could see one cell of a transaction before the other
/// cells were noted. So a writer notes its write under the lock of the cell, and a transaction notes all its writes
/// before it releases any lock. A cell calls its observers only while readers compare instants
/// (`orderedReaderJoined`): the observer's owner must be such a reader.
@usableFromInline
package class WriteObserver: Waiter, @unchecked Sendable {
  // The links of the list in the roster, guarded by the lock of the cell. So the variables need no check of overlapping
  // accesses.
  @exclusivity(unchecked) fileprivate final var following: WriteObserver?
  @exclusivity(unchecked) fileprivate final unowned(unsafe) var preceding: WriteObserver?

  /// The cell has a new version, which takes effect at `instant`.
  func writtenWhileLocked(at instant: LogicalInstant) {
    preconditionFailure("\(type(of: self)) does not say what it notes of a write")
  }
}

extension Roster {
  /// `observer` notes each update from here on.
  package mutating func writeObserverJoined(_ observer: WriteObserver) {
    let following = writeObservers
    unsafe observer.following = following
    unsafe following?.preceding = observer
    writeObservers = observer
  }

  /// `observer`, which has joined, notes no update any more. The caller still holds a reference to it.
  package mutating func writeObserverLeft(_ observer: WriteObserver) {
    let (following, preceding) = unsafe (observer.following, observer.preceding)
    unsafe following?.preceding = preceding
    if let preceding { unsafe preceding.following = following } else { writeObservers = following }
    unsafe observer.following = nil
    unsafe observer.preceding = nil
  }

  @inlinable
  func noteWrite(at instant: LogicalInstant) {
    if let writeObservers { note(at: instant, in: writeObservers) }
  }

  @usableFromInline
  func note(at instant: LogicalInstant, in first: WriteObserver) {
    first.writtenWhileLocked(at: instant)
    var rest = unsafe first.following
    while let observer = rest {
      observer.writtenWhileLocked(at: instant)
      rest = unsafe observer.following
    }
  }
}
