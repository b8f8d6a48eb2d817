/// Stands for the readers of one key's cell at the hash of the key.
@usableFromInline
final class KeyFeeder: Waiter, @unchecked Sendable {
  private let target: AnyCell

  @usableFromInline
  init(_ target: AnyCell) {
    self.target = target
  }

  var targetIdentity: ObjectIdentifier { ObjectIdentifier(target) }

  package override func wake() {
    target.locked(for: .feeding) { _ in }
  }
}
