/// What of a cell does not depend on its value: the lock, the roster, and the actor whose cell it is.
// @unchecked: `roster` is guarded by `lock`; `host` is set once, before the cell is shared.
@usableFromInline
package class AnyCell: @unchecked Sendable {
  @usableFromInline final let lock = Lock()
  // Guarded by `lock`.
  @usableFromInline final var roster = Roster()

  /// The actor whose cell this is, while it lives.
  package private(set) final weak var host: (any Actor)?

  @usableFromInline
  package enum Glance: Sendable {
    /// A round takes a copy of the value. Under the lock.
    case look
    /// The round is over, and releases it. Never under a lock.
    case forget
  }

  /// Lets a round see the value. A stored function, because a method that is found through a generic class's
  /// table is not specialized.
  private let glance: @Sendable (AnyCell, AnyRound, Glance) -> Void

  @usableFromInline
  init(glance: @escaping @Sendable (AnyCell, AnyRound, Glance) -> Void) {
    self.glance = glance
  }

  /// A round begins, under the lock. It holds no value then, so nothing is released here.
  package final func begin(_ round: AnyRound, _ roster: Roster) {
    round.begin(roster)
    glance(self, round, .look)
  }

  /// A round is over.
  package final func end(_ round: AnyRound) {
    glance(self, round, .forget)
  }

  /// Called once, by the initializer of the actor.
  @usableFromInline
  package final func belongs(to host: any Actor) {
    self.host = host
  }

  /// A round that has looked at nothing yet.
  package func makeRound() -> AnyRound {
    preconditionFailure("\(type(of: self)) does not know its value")
  }

  /// One step under the lock. Whatever it returns is acted upon, or released, after the lock.
  @inlinable
  @inline(__always)
  package final func locked<Result: Sendable>(_ step: (inout Roster) -> Result) -> Result {
    lock.withLock { step(&roster) }
  }

  package final func finish() {
    locked { $0.finish() }.wake()
  }
}

extension AnyCell: CustomReflectable {
  /// Nothing: what a mirror would read is guarded by the lock, and a failed `#expect` reflects whatever it can.
  @usableFromInline package final var customMirror: Mirror { Mirror(self, children: []) }
}
