public import Synchronization

/// A handler that follows a cell: its position in the updates, its recipient, and whether it has ended.
///
/// ### States
/// - *active*: the lane may call the handler.
/// - *cancelled*: the token or the bag has cancelled the observation, or its owner or its context is gone.
/// - *finished*: the cell has ended, and the observation has received everything.
///
/// An observation ends once, by an exchange of `status`. Then the observation is *removed*: under the cell's lock it is
/// unlinked and taken out of the count, and after the lock its captures are released. A running lane removes the
/// observation between two calls. If the lane is not running, the thread that has cancelled the observation removes it.
/// But if the captures may be released only on the context, that thread wakes the lane, and the lane removes the
/// observation. `cancelAndWait` returns when the observation is removed: then the handler is not running, and the
/// library has released everything that the handler captured.
// @unchecked: each variable says what guards it.
@usableFromInline
package class Observation: Cancellable, @unchecked Sendable {
  @usableFromInline
  enum Status: Sendable {
    @usableFromInline static var active: UInt8 { 0 }
    @usableFromInline static var cancelled: UInt8 { 1 }
    @usableFromInline static var finished: UInt8 { 2 }
    /// Cancelled, because the owner has died.
    @usableFromInline static var ownerDied: UInt8 { 3 }
  }

  /// The outcome of a delivery to this observation.
  @usableFromInline
  package enum DeliveryOutcome: Sendable {
    /// The observation has seen everything. The turn has spent `calls` calls on it.
    case caughtUp(calls: UInt8)
    /// The delivery has reached its limit, so there may be more elements. The observation has received all elements up
    /// to this version.
    case behind(UInt64)
    /// The observation has ended.
    case ended
  }

  // Small variables come first to save memory, because there may be very many observations. With `endsWithToken`, the
  // first four take eight bytes.

  @usableFromInline final let status = Atomic<UInt8>(Status.active)

  /// Guarded by the cell's lock.
  private final var marks: Marks

  /// The depth if it is small. Set before the observation is in a list.
  private final var smallDepth = SmallDepth(1)

  private final let lock = Lock()

  /// Where user code began the observation.
  final let site: CallSite

  // Guarded by `lock`, so Swift need not check for overlapping accesses. This becomes `removed` when the observation is
  // removed. From then on, a token that still holds the observation does not keep the cell's memory alive.
  @exclusivity(unchecked) private final var storedRegistration = Registration.removed

  private final var registration: Registration {
    get { unsafe storedRegistration }
    _modify { yield unsafe &storedRegistration }
  }

  // The links of an `ObservationList`. What guards the list also guards its links.
  final var next: ObservationLink?
  final var previous: ObservationLink?

  /// An operation for callers that do not know the type of the cursor.
  @usableFromInline
  package enum ErasedOperation: Sendable {
    /// Takes a position in the cell's updates.
    case beginWhileLocked(depth: UInt32, version: UInt64)
    /// Calls the handler with the elements of a pass, at most `limit` of them. Performed on the context.
    case deliver(AnyPassSnapshot, limit: UInt8)
    /// Ends the observation if its owner has died. Performed on the context.
    case checkOwner
    /// Tells the newest version that the observation has received or skipped, as the outcome `behind`. Performed while
    /// the lane does not run.
    case tellSeenWhileLocked
    /// Gives up the position.
    case leaveWhileLocked
    /// Releases the captures, and what the position held. Never performed under a lock.
    case release
  }

  /// Performs an operation. The result matters only for `deliver`, `checkOwner` and `tellSeenWhileLocked`.
  ///
  /// A stored function, because the compiler does not specialize a call through the method table of a generic class.
  @usableFromInline final let perform: (Observation, ErasedOperation) -> DeliveryOutcome

  @usableFromInline
  init(
    endsWithToken: Bool,
    isConfined: Bool,
    site: CallSite,
    perform: @escaping (Observation, ErasedOperation) -> DeliveryOutcome
  ) {
    marks = isConfined ? .isConfined : []
    self.site = site
    self.perform = perform
    super.init(endsWithToken: endsWithToken)
  }

  package final override var place: String? { site.location.map { "\($0)" } }

  /// Gives up the position.
  final func leaveWhileLocked() {
    _ = perform(self, .leaveWhileLocked)
  }

  /// Keeps what the cell no longer holds because this observation has left, until the last step of the removal.
  @usableFromInline
  final func keepWhileLocked(_ evicted: (any AnyObject & Sendable)?) {
    if let evicted { lock.withLock { registration.extend().evicted = evicted } }
  }

  /// The lane that delivers to this observation; nil before the observation begins, and after it is removed.
  final var lane: Lane? { lock.withLock { registration.lane } }

  final func enter(_ lane: Lane) {
    lock.withLock { registration.entered(lane) }
  }

  /// Performs the last step of the removal, after the lock.
  final func finishRemoval() {
    _ = perform(self, .release)
    let registration = lock.withLock { () -> Registration in
      defer { self.registration = .removed }
      return self.registration
    }
    if EventHook.isOn, let lane = registration.lane {
      EventHook.emit(.observationEnded(label(in: lane), reasonOfEnd))
    }
    guard case .extended(let extras) = registration else { return }
    extras.evicted = nil
    extras.resumptions.forEach { $0.resume() }
  }

  /// The observation, as events name it.
  final func label(in lane: Lane) -> BindingEvent.Observer {
    BindingEvent.Observer(cell: lane.cell.label, location: site.location, context: lane.place)
  }

  private final var reasonOfEnd: BindingEvent.Reason {
    switch status.load(ordering: .sequentiallyConsistent) {
    case Status.finished: .finished
    case Status.ownerDied: .ownerDied
    default: .cancelled
    }
  }

  /// Ends the observation. Returns true if this call ended it, and false if it had ended before.
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
    guard end(as: Status.cancelled), let lane else { return }
    lane.cancelled(self)
  }

  // The problem: this method must return when the observation is removed, whichever thread removes it. If the
  // observation is removed already, this method must return at once. A task that waits by polling would spin. A stored
  // continuation would cost each observation a word: there may be very many observations, and this method is seldom
  // called. So `Registration` takes one word: it is a lane, or an object that holds the lane and the waiting calls. The
  // step that removes the observation takes this word out under `lock`, and then resumes the waiting calls.
  package final override func cancelAndWait() async {
    cancel()
    await Resumption.suspend { resumption in
      let lane = lock.withLock { registration.awaitsRemoval(resumption) }
      lane?.removalWanted()
      return lane != nil
    }
  }

  package final override var isCancelled: Bool {
    let status = status.load(ordering: .sequentiallyConsistent)
    return status == Status.cancelled || status == Status.ownerDied
  }

  package final override var hasEnded: Bool { !isActive }
}

// MARK: - What takes little memory

extension Observation {
  /// Properties of an observation that take a bit each.
  fileprivate struct Marks: OptionSet, Sendable {
    let rawValue: UInt8

    static var isConfined: Marks { Marks(rawValue: 1) }
    static var isArrival: Marks { Marks(rawValue: 2) }
    static var isListed: Marks { Marks(rawValue: 4) }

    subscript(_ mark: Marks) -> Bool {
      get { contains(mark) }
      set { if newValue { insert(mark) } else { remove(mark) } }
    }
  }

  // The cell's lock guards the marks.

  /// True if the handler and its captures may be released only on the context.
  final var isConfined: Bool { marks[.isConfined] }

  /// True if the observation began while its lane was running, and waits for the end of the pass.
  final var isArrival: Bool {
    get { marks[.isArrival] }
    set { marks[.isArrival] = newValue }
  }

  /// Whether the observation is in one of its lane's lists.
  final var isListed: Bool {
    get { marks[.isListed] }
    set { marks[.isListed] = newValue }
  }

  /// A depth in one byte.
  fileprivate struct SmallDepth: Sendable {
    private let byte: UInt8

    static var unbounded: UInt8 { 255 }
    static var large: UInt8 { 0 }

    init(_ depth: UInt32) {
      byte = depth == .max ? Self.unbounded : depth < 255 ? UInt8(depth) : Self.large
    }

    var isUnbounded: Bool { byte == Self.unbounded }
    /// Nil if the depth does not fit into a byte.
    var depth: UInt32? { isUnbounded ? .max : byte == Self.large ? nil : UInt32(byte) }
  }

  /// Whether any number of versions may wait for the observation.
  final var isUnbounded: Bool { smallDepth.isUnbounded }

  /// The number of versions that may wait for the observation. The position has this number too, but a lane that runs
  /// uses the position without the lock, and diagnostics must not wait for the lane.
  ///
  /// Set before the observation is in a list. Meaningless after the removal.
  @usableFromInline final var depth: UInt32 {
    get { smallDepth.depth ?? lock.withLock { registration.depth } }
    set {
      smallDepth = SmallDepth(newValue)
      if smallDepth.depth == nil { lock.withLock { registration.extend().depth = newValue } }
    }
  }
}

/// The lane of an observation until the observation is removed, and what few observations need besides. A registration
/// takes one word, because there may be very many observations.
private enum Registration: Sendable {
  case removed
  case lane(Lane)
  case extended(RegistrationExtension)

  var lane: Lane? {
    switch self {
    case .removed: nil
    case .lane(let lane): lane
    case .extended(let extras): extras.lane
    }
  }

  /// The depth, if it was too large for the observation itself.
  var depth: UInt32 { if case .extended(let extras) = self { extras.depth } else { 1 } }

  mutating func entered(_ lane: Lane) {
    if case .extended(let extras) = self { extras.lane = lane } else { self = .lane(lane) }
  }

  /// Makes room for what few observations need.
  mutating func extend() -> RegistrationExtension {
    if case .extended(let extras) = self { return extras }
    let extras = RegistrationExtension(lane)
    self = .extended(extras)
    return extras
  }

  /// Notes that a call of `cancelAndWait` waits. Returns the lane, or nil if the observation is removed already.
  mutating func awaitsRemoval(_ resumption: Resumption) -> Lane? {
    guard let lane else { return nil }
    extend().resumptions.append(resumption)
    return lane
  }
}

/// What few observations need: a large depth, calls of `cancelAndWait` that wait for the removal, and what the cell no
/// longer holds.
// @unchecked: the observation's lock guards the variables. After the removal, only the thread that has removed the
// observation accesses them.
private final class RegistrationExtension: @unchecked Sendable {
  var lane: Lane?
  var depth: UInt32 = 1
  var resumptions: [Resumption] = []
  var evicted: (any AnyObject & Sendable)?

  init(_ lane: Lane?) {
    self.lane = lane
  }
}
