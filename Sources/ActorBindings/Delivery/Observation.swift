public import Synchronization

/// One handler that follows a cell: its place in the updates, its recipient, and whether it has ended.
///
/// ### States
/// - *active*: it may be called.
/// - *cancelled*: by its token, its bag, its owner's end or its context's.
/// - *finished*: it was handed everything, and its cell has ended.
///
/// It ends once, by an exchange of `status`. The thread that wins that exchange has it *buried*: unlinked and uncounted
/// under the cell's lock, its captures released after the lock. A lane that is running buries between two calls;
/// otherwise the canceller does it, unless the captures may be released only on the context. `cancelAndWait` returns when the
/// observation is buried: then no call of it is running, and nothing that it captured is held.
// @unchecked: each variable says what guards it.
@usableFromInline
package class Observation: Cancellable, @unchecked Sendable {
  @usableFromInline
  enum Status: Sendable {
    @usableFromInline static var active: UInt8 { 0 }
    @usableFromInline static var cancelled: UInt8 { 1 }
    @usableFromInline static var finished: UInt8 { 2 }
  }

  /// What became of one visit.
  @usableFromInline
  package enum Visit: Sendable {
    /// The observation has seen everything: this visit called its handler `calls` times.
    case caughtUp(calls: UInt8)
    /// There is more than the visit had room for; it has seen this version.
    case behind(UInt64)
    /// It ended in this visit.
    case ended
  }

  // What is small comes first: there may be very many of these.

  /// The handler and what it captured may be released on the context alone.
  @usableFromInline final let isConfined: Bool

  @usableFromInline final let status = Atomic<UInt8>(Status.active)

  /// Began while its lane was running, and waits for the end of the pass. Guarded by the cell's lock.
  final var isArrival = false

  private final let lock = Lock()
  // Guarded by `lock`. Nowhere once buried, so that a token that is kept does not keep the cell's memory.
  private final var home = Home.nowhere

  // The links of an `ObservationList`; guarded as the list is.
  final var next: ObservationLink?
  final var previous: ObservationLink?

  /// What is asked of an observation.
  @usableFromInline
  package enum Request: Sendable {
    /// Takes a place in the cell's updates. Under the cell's lock.
    case begin(depth: UInt32, version: UInt64)
    /// Hands over what a round has, at most `room` elements. On the context.
    case visit(AnyRound, room: UInt8)
    /// Ends the observation if its owner has died. On the context.
    case look
    /// Gives the place up. Under the cell's lock.
    case leave
    /// Releases what was captured, and what the place held. Never under a lock.
    case release
  }

  /// Does what is asked; what it returns matters after `visit` and `look`. A stored function, because a method that is
  /// found through a generic class's table is not specialized.
  @usableFromInline final let perform: (Observation, Request) -> Visit

  @usableFromInline
  init(
    endsWithToken: Bool,
    isConfined: Bool,
    perform: @escaping (Observation, Request) -> Visit
  ) {
    self.isConfined = isConfined
    self.perform = perform
    super.init(endsWithToken: endsWithToken)
  }

  /// Gives the place up. Under the cell's lock.
  final func leave() {
    _ = perform(self, .leave)
  }

  final func enter(_ lane: Lane) {
    lock.withLock { home = .lane(lane) }
  }

  /// The last step of the burial, after the lock.
  final func buried() {
    _ = perform(self, .release)
    let home = lock.withLock { () -> Home in
      defer { self.home = .nowhere }
      return self.home
    }
    if case .awaited(let burial) = home { burial.resumptions.forEach { $0.resume() } }
  }

  /// True for the one who ends it.
  @inlinable
  final func end(as outcome: UInt8) -> Bool {
    status.compareExchange(
      expected: Status.active,
      desired: outcome,
      ordering: .sequentiallyConsistent
    ).exchanged
  }

  @inlinable
  final var isActive: Bool {
    status.load(ordering: .sequentiallyConsistent) == Status.active
  }

  package final override func cancel() {
    guard end(as: Status.cancelled), let lane = lock.withLock({ home.lane }) else { return }
    lane.cancelled(self)
  }

  package final override func cancelAndWait() async {
    cancel()
    await Resumption.suspend { resumption in
      let lane = lock.withLock { home.awaitsBurial(resumption) }
      lane?.burialWanted()
      return lane != nil
    }
  }

  package final override var isCancelled: Bool {
    status.load(ordering: .sequentiallyConsistent) == Status.cancelled
  }

  package final override var hasEnded: Bool { !isActive }
}

/// Where an observation is until it is buried: in one word, for there may be very many observations.
private enum Home: Sendable {
  case nowhere
  case lane(Lane)
  case awaited(Burial)

  var lane: Lane? {
    switch self {
    case .nowhere: nil
    case .lane(let lane): lane
    case .awaited(let burial): burial.lane
    }
  }

  /// A call of `cancelAndWait` waits. Returns the lane; nil if there is nothing to wait for.
  mutating func awaitsBurial(_ resumption: Resumption) -> Lane? {
    switch self {
    case .nowhere: return nil
    case .lane(let lane):
      self = .awaited(Burial(in: lane, resumption))
      return lane
    case .awaited(let burial):
      burial.resumptions.append(resumption)
      return burial.lane
    }
  }
}

/// The burial of an observation, and the calls of `cancelAndWait` that wait for it.
// @unchecked: `resumptions` is guarded by the observation's lock, and the last one's own once buried.
private final class Burial: @unchecked Sendable {
  let lane: Lane
  var resumptions: [Resumption]

  init(in lane: Lane, _ resumption: Resumption) {
    self.lane = lane
    resumptions = [resumption]
  }
}
