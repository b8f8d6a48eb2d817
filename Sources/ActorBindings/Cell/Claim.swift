#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#endif

/// A courtesy among writers: a `modify` that was outrun several times is let go first.
///
/// It is not a lock. Others wait for the claimant a little, a longer while each time that it was outrun again,
/// and then write all the same; so a body that waits for one of them deadlocks nobody, and a body that takes
/// long is done some day.
@usableFromInline
package struct Claim: Sendable {
  @usableFromInline package let thread: UInt
  @usableFromInline package let patience: Int
  /// How often the claimant's own thread has written meanwhile.
  var ownWrites = 0

  package init(patience: Int) {
    thread = Self.currentThread()
    self.patience = patience
  }

  /// Who writes, as far as a claim is concerned.
  @usableFromInline
  package enum Writer: Sendable {
    case passerBy
    /// Has waited as long as the claim asked for.
    case impatient
    case claimant(thread: UInt)
  }

  @inlinable
  package func lets(_ writer: Writer) -> Bool {
    switch writer {
    case .passerBy: false
    case .impatient: true
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

/// What one write goes through while others write too.
@usableFromInline
package struct Contention: Sendable {
  /// How often a `modify` is outrun before it claims.
  @inlinable package static var threshold: Int { 4 }
  /// How often a thread may write in spite of its own claim.
  static let mostOwnWrites = 256

  /// As whom to try next.
  @usableFromInline package private(set) var writer = Claim.Writer.passerBy
  @usableFromInline package private(set) var hasClaim = false
  private var timesOutrun = 0
  private var timesDeferred = 0

  @usableFromInline
  package init() {}

  /// Another writer got in between.
  @usableFromInline
  package mutating func outrun(in cell: AnyCell) {
    timesOutrun += 1
    timesDeferred = 0
    guard timesOutrun >= Self.threshold else { return }
    // At the most a second or two, where sleeping takes longer than asked for.
    var claim = Claim(patience: 32 << min(timesOutrun - Self.threshold, 9))
    writer = .claimant(thread: claim.thread)
    hasClaim = cell.locked { roster in
      if let former = roster.claim {
        guard former.thread == claim.thread else { return false }
        claim.ownWrites = former.ownWrites
      }
      roster.claim = claim
      return true
    }
  }

  /// Somebody's claim goes first: waits a little, unless it is this thread's own.
  @usableFromInline
  package mutating func deferred(by claim: Claim, in cell: AnyCell) {
    guard claim.thread != Claim.currentThread() else {
      writer = .claimant(thread: claim.thread)
      return noteOwnWrite(in: cell)
    }
    writer = timesDeferred >= claim.patience ? .impatient : .passerBy
    Self.pause(turn: timesDeferred)
    timesDeferred += 1
  }

  // The deinit of what a body let go of may write, now and then. But a body that does so itself is outrun by
  // its own write each time.
  private func noteOwnWrite(in cell: AnyCell) {
    let ownWrites = cell.locked { roster in
      roster.claim?.ownWrites += 1
      return roster.claim?.ownWrites ?? 0
    }
    guard ownWrites < Self.mostOwnWrites else {
      fatalError(
        """
        The body of `modify`, of `update` or of a transaction writes to a cell that it has read, past what it was \
        handed, so it would be run for ever. Change what it was handed instead.
        """
      )
    }
  }

  /// The write is over, one way or another.
  @inlinable
  package func end(in cell: AnyCell) {
    if hasClaim { withdraw(in: cell) }
  }

  @usableFromInline
  func withdraw(in cell: AnyCell) {
    let thread = Claim.currentThread()
    cell.locked { roster in
      if roster.claim?.thread == thread { roster.claim = nil }
    }
  }

  // Others run first: a few times by giving up the processor, then by sleeping for some microseconds.
  private static func pause(turn: Int) {
    if turn < 16 {
      sched_yield()
    } else {
      var time = timespec(tv_sec: 0, tv_nsec: 20_000)
      unsafe nanosleep(&time, nil)
    }
  }
}
