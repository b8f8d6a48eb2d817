#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#endif

extension AnyCell {
  /// Notes that a write has lost a race. After several lost races, asks for a claim.
  @usableFromInline
  package final func noteOutrun(_ contention: inout Contention) {
    guard let claim = contention.outrun() else { return }
    contention.claimAnswered(locked { $0.claimed(claim) })
  }

  /// Waits briefly, because `claim` goes before a write. If the claim belongs to this thread, counts the write instead
  /// of waiting.
  @usableFromInline
  package final func wait(for claim: Claim, _ contention: inout Contention) {
    switch contention.deferred(by: claim) {
    case .isOwn: noteOwnWrite()
    case .waits(let turn): Self.pause(turn: turn)
    }
  }

  /// Withdraws the claim of a write that has ended, if the write has a claim.
  @inlinable
  package final func endContention(_ contention: Contention) {
    if contention.hasClaim { withdrawClaim() }
  }

  @usableFromInline
  final func withdrawClaim() {
    let thread = Claim.currentThread()
    locked { $0.claimEnded(of: thread) }
  }

  /// The limit of writes by the claimant's own thread. At this number the program stops; one write fewer is allowed.
  /// Without the limit, a body that writes to its own cell would run for ever.
  private static var tooManyOwnWrites: Int { 256 }

  // Counts a write by the claimant's own thread. A few such writes are normal: the deinit of a value that a body
  // releases may write to this cell. But a body that writes to this cell in each run loses the race to its own write
  // each time.
  private final func noteOwnWrite() {
    let ownWrites = locked { $0.claimantWrote() }
    guard ownWrites < Self.tooManyOwnWrites else {
      fatalError(
        """
        The body of `modify`, of `update` or of a transaction writes to a cell that it has read, and does not do so \
        through its argument. So the body would run again for ever. Change the argument instead.
        """
      )
    }
  }

  // Lets other threads run first: gives up the processor the first few times, and later sleeps for some microseconds.
  private static func pause(turn: Int) {
    if turn < 16 {
      sched_yield()
    } else {
      var time = timespec(tv_sec: 0, tv_nsec: 20_000)
      unsafe nanosleep(&time, nil)
    }
  }
}
