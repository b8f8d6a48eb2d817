/// A waiter that parks at the hash of a key, for the readers of that key's cell. The next write to a key with this
/// hash, or the end of the dictionary, wakes the waiter. Then the waiter brings the cell up to date for the parked
/// readers.
@usableFromInline
final class KeyWaiter: Waiter, @unchecked Sendable {
  private let cell: AnyCell

  @usableFromInline
  init(_ cell: AnyCell) {
    self.cell = cell
  }

  @usableFromInline var cellIdentity: ObjectIdentifier { ObjectIdentifier(cell) }

  package override func wake() {
    cell.refreshParkedReaders()
  }
}
