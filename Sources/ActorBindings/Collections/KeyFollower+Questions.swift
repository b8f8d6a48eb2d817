// What a step asks when it must compare keys.
extension KeyFollower {
  /// A question about keys that the follower must answer to continue. Comparing keys runs user code, so the follower
  /// finds the answer while it holds no lock.
  @usableFromInline
  enum Question: Sendable {
    /// What does the dictionary hold for the key? The payload is nil for the first reader, whose lookup also begins to
    /// watch the hash.
    case lookUp(Watched?)
    /// Does this write concern the key?
    case compare(KeyWrite<Key, Element>, generation: UInt64)
  }

  @usableFromInline
  enum Answer: Sendable {
    case entry(
      KeyWrite<Key, Element>,
      WatchedKeys<Key, Element>.WatchedSnapshot,
      isChainMine: Bool,
      isBeginning: Bool
    )
    case chain(UInt64, isMine: Bool, generation: UInt64)
  }

  /// What the step must do after one hold of the lock, besides waking and releasing the `Leftovers`.
  @usableFromInline
  struct Pending: Sendable {
    /// The question that the follower must answer to continue; nil if there is none.
    @usableFromInline var question: Question?
    /// A registration that the step must undo: another reader was faster, or the cell has finished.
    @usableFromInline var unused: Watched?

    @inlinable
    init(_ question: Question? = nil, unused: Watched?) {
      self.question = question
      self.unused = unused
    }
  }
}
