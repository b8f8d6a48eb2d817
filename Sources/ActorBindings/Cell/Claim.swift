#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Bionic)
  import Bionic
#endif

/// Priority for a starved `modify`: after several lost races, other writers wait briefly for it.
///
/// A claim is not a lock. The `modify` that has the claim is the *claimant*. Each further race that the claimant loses
/// makes the other writers wait longer, but after the wait they write anyway. So a body that waits for another writer
/// does not deadlock, and a body that takes long succeeds in the end.
@usableFromInline
package struct Claim: Sendable {
  @usableFromInline package let thread: UInt
  @usableFromInline package let maxDeferrals: Int32
  /// The number of other writes that the claimant's own thread has made in spite of the claim.
  var ownWrites: Int32 = 0

  package init(maxDeferrals: Int32) {
    thread = Self.currentThread()
    self.maxDeferrals = maxDeferrals
  }

  /// The kinds of writers that a claim distinguishes.
  @usableFromInline
  package enum Writer: Sendable {
    case ordinary
    /// A writer that no claim defers. An ordinary writer becomes insistent when it has waited as long as the claim asks
    /// for. Relays, junctions, key followers and `Cell.decided` are always insistent, and never wait. The exchange of a
    /// value in a transaction is insistent too: the transaction has checked all claims before.
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

/// The contention of one write: its lost races, its waits, and whether it has a claim. This is a pure state machine:
/// `AnyCell` takes the lock and does the waiting.
///
/// ### States
/// - *ordinary*: the write is like any other.
/// - *claimant*: the write has lost several races, and asks for a claim after each further race that it loses.
/// - *insistent*: the write has waited for the claim of another thread as long as that claim asks for. The next attempt
///   goes ahead in spite of the claim.
///
/// ### Transitions
/// | event | ordinary | claimant | insistent |
/// |---|---|---|---|
/// | `outrun` | claimant, after several lost races | claimant, for which others wait longer | claimant, after several lost races |
/// | `deferred`, by the claim of another thread | insistent, after several waits | ordinary, or insistent as on the left | ordinary if it was outrun since |
/// | `deferred`, by this thread's own claim | claimant | nothing | claimant |
///
/// ### Actions
/// `outrun` returns the claim to ask for. `deferred` returns whether to wait, and for how long.
@usableFromInline
package struct Contention: Sendable {
  /// The number of lost races at which a `modify` begins to ask for a claim.
  @inlinable package static var threshold: Int { 4 }

  /// The kind of writer that makes the next attempt.
  @usableFromInline package private(set) var writer = Claim.Writer.ordinary
  @usableFromInline package private(set) var hasClaim = false
  private var timesOutrun = 0
  private var timesDeferred = 0

  @usableFromInline
  package init() {}

  /// What a deferred writer does before it tries again.
  enum Deferral: Sendable {
    /// The claim belongs to the writer's own thread: the writer does not wait.
    case isOwn
    /// The writer waits. It has waited this number of times before.
    case waits(Int)
  }

  /// Notes a lost race. Returns the claim to ask for, or nil if the number of lost races is still below `threshold`.
  mutating func outrun() -> Claim? {
    timesOutrun += 1
    timesDeferred = 0
    guard timesOutrun >= Self.threshold else { return nil }
    // Another writer waits a second or two at most, even on a system whose sleeps take longer than asked for.
    let claim = Claim(maxDeferrals: 32 << min(timesOutrun - Self.threshold, 9))
    writer = .claimant(thread: claim.thread)
    return claim
  }

  /// Notes the cell's answer to the request for a claim.
  mutating func claimAnswered(_ isGranted: Bool) {
    hasClaim = isGranted
  }

  /// Notes that a claim goes before this write. Returns what to do before the next attempt.
  mutating func deferred(by claim: Claim) -> Deferral {
    guard claim.thread != Claim.currentThread() else {
      writer = .claimant(thread: claim.thread)
      return .isOwn
    }
    writer = timesDeferred >= claim.maxDeferrals ? .insistent : .ordinary
    defer { timesDeferred += 1 }
    return .waits(timesDeferred)
  }
}
