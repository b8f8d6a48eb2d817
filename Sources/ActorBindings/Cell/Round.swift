/// One look at a cell, for all whom a lane serves then: what is written meanwhile belongs to the next round.
public class AnyRound: @unchecked Sendable {
  // Its lane's own, as is everything here.
  @usableFromInline package final var version: UInt64 = 0
  @usableFromInline package final var isFinished = false

  @usableFromInline
  init() {}

  /// The round is over. It holds no value when the next one looks, under the lock.
  package func clear() {
    preconditionFailure("\(type(of: self)) does not know its value")
  }
}

/// One look at a cell, with the value that was found.
public final class Round<Value: Sendable>: AnyRound, @unchecked Sendable {
  @usableFromInline var value: Value?

  package override func clear() {
    value = nil
  }
}
