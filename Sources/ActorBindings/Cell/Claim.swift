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

/// The contention of one write: its lost races, its waits, and whether it has a claim. A pure state machine: `AnyCell` takes
/// the lock for it, and waits.
///
/// ### States
/// - *ordinary*: it is a writer like any other.
/// - *claimant*: it has lost several races, and asks for a claim after each further one.
/// - *insistent*: it has waited for another claim as long as that claim asks for, and writes all the same.
///
/// ### Transitions
/// | event | ordinary | claimant | insistent |
/// |---|---|---|---|
/// | `outrun` | claimant, after several | claimant, with more patience | claimant, after several |
/// | `deferred`, by the claim of another thread | insistent, after several waits | ordinary, or insistent as on the left | ordinary if it was outrun since |
/// | `deferred`, by this thread's own claim | claimant | nothing | claimant |
///
/// ### Actions
/// `outrun` returns the claim to ask for. `deferred` says whether to wait, and for how long.
@usableFromInline
package struct Contention: Sendable {
  /// The number of lost races at which a `modify` claims.
  @inlinable package static var threshold: Int { 4 }

  /// The kind of writer to be in the next attempt.
  @usableFromInline package private(set) var writer = Claim.Writer.ordinary
  @usableFromInline package private(set) var hasClaim = false
  private var timesOutrun = 0
  private var timesDeferred = 0

  @usableFromInline
  package init() {}

  /// What a deferred writer does before it tries again.
  enum Deferral: Sendable {
    /// The claim is of its own thread: it does not wait.
    case isOwn
    /// It has waited this many times.
    case waits(Int)
  }

  /// Another writer got in between. Returns the claim to ask for after several such races.
  mutating func outrun() -> Claim? {
    timesOutrun += 1
    timesDeferred = 0
    guard timesOutrun >= Self.threshold else { return nil }
    // Other writers wait a second or two at most, where sleeping takes longer than asked for.
    let claim = Claim(maxDeferrals: 32 << min(timesOutrun - Self.threshold, 9))
    writer = .claimant(thread: claim.thread)
    return claim
  }

  /// The cell has answered the request for a claim.
  mutating func claimAnswered(_ isGranted: Bool) {
    hasClaim = isGranted
  }

  /// A claim goes first.
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
