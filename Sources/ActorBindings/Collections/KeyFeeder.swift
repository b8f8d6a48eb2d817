/// Waits at the hash of a key for the readers of that key's cell. The next write to that hash, or the end of the dictionary,
/// wakes it. Then it brings the cell up to date for its parked readers.
@usableFromInline
final class KeyFeeder: Waiter, @unchecked Sendable {
  private let target: AnyCell

  @usableFromInline
  init(_ target: AnyCell) {
    self.target = target
  }

  var targetIdentity: ObjectIdentifier { ObjectIdentifier(target) }

  package override func wake() {
    target.refreshParkedReaders()
  }
}
