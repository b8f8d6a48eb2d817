#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#endif

/// Priority for a starved `modify`: after several lost races other writers wait briefly for it.
///
/// It is not a lock. The other writers wait longer after each further race that the claimant loses, and then write all
/// the same. So a body that waits for another writer does not deadlock, and a body that takes long succeeds in the end.
@usableFromInline
package struct Claim: Sendable {
  @usableFromInline package let thread: UInt
  @usableFromInline package let maxDeferrals: Int
  /// The number of other writes that the claimant's own thread has made meanwhile.
  var ownWrites = 0

  package init(maxDeferrals: Int) {
    thread = Self.currentThread()
    self.maxDeferrals = maxDeferrals
  }

  /// The kinds of writers that a claim distinguishes.
  @usableFromInline
  package enum Writer: Sendable {
    case ordinary
    /// A writer that has waited as long as the claim asked for.
    case insistent
    case claimant(thread: UInt)
  }

  @inlinable
  package func lets(_ writer: Writer) -> Bool {
    switch writer {
    case .ordinary: false
    case .insistent: true
    case .claimant(let thread): thread == self.thread
    }
  }

  package static func currentThread() -> UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      unsafe UInt(bitPattern: pthread_self())
    #endif
  }
}

/// The contention of one write: its lost races, its waits, and whether it has a claim.
@usableFromInline
package struct Contention: Sendable {
  /// The number of lost races at which a `modify` claims.
  @inlinable package static var threshold: Int { 4 }
  /// The number of writes, in spite of its own claim, at which a thread is taken to do so for ever. It may make one less.
  static let tooManyOwnWrites = 256

  /// The kind of writer to be in the next attempt.
  @usableFromInline package private(set) var writer = Claim.Writer.ordinary
  @usableFromInline package private(set) var hasClaim = false
  private var timesOutrun = 0
  private var timesDeferred = 0

  @usableFromInline
  package init() {}

  /// Another writer got in between. After several such races the write claims.
  @usableFromInline
  package mutating func outrun(in cell: AnyCell) {
    timesOutrun += 1
    timesDeferred = 0
    guard timesOutrun >= Self.threshold else { return }
    // Other writers wait a second or two at most, where sleeping takes longer than asked for.
    let claim = Claim(maxDeferrals: 32 << min(timesOutrun - Self.threshold, 9))
    writer = .claimant(thread: claim.thread)
    hasClaim = cell.locked { $0.claimed(claim) }
  }

  /// A claim goes first: waits a little, unless it is this thread's own claim.
  @usableFromInline
  package mutating func deferred(by claim: Claim, in cell: AnyCell) {
    guard claim.thread != Claim.currentThread() else {
      writer = .claimant(thread: claim.thread)
      return noteOwnWrite(in: cell)
    }
    writer = timesDeferred >= claim.maxDeferrals ? .insistent : .ordinary
    Self.pause(turn: timesDeferred)
    timesDeferred += 1
  }

  // The deinit of a value that a body has released may write to this cell now and then. But a body that itself writes
  // to this cell loses the race to its own write each time.
  private func noteOwnWrite(in cell: AnyCell) {
    let ownWrites = cell.locked { $0.claimantWrote() }
    guard ownWrites < Self.tooManyOwnWrites else {
      fatalError(
        """
        The body of `modify`, of `update` or of a transaction writes to a cell that it has read, past what it was \
        handed, so it would be run for ever. Change what it was handed instead.
        """
      )
    }
  }

  /// The write is over, whatever its outcome: withdraws its claim.
  @inlinable
  package func end(in cell: AnyCell) {
    if hasClaim { withdraw(in: cell) }
  }

  @usableFromInline
  func withdraw(in cell: AnyCell) {
    let thread = Claim.currentThread()
    cell.locked { $0.claimEnded(of: thread) }
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
