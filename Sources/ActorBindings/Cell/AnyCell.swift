public import Synchronization

// @unchecked: `storedRoster` is guarded by `lock`; `storedHost` and `site` are set once, before the cell is shared.
/// The part of a cell that does not depend on the type of its value: the lock, the `Roster`, and the actor that owns
/// the cell.
@_documentation(visibility: internal)
public class AnyCell: @unchecked Sendable {
  @usableFromInline final let lock = Lock()
  // Whether diagnostics have a record of the cell. Declared here to use the padding of `lock`.
  final let isRecorded = Atomic(false)
  // Guarded by `lock`, so Swift need not check for overlapping accesses. Such a check would cost as much as the lock.
  // Other folders use `rosterWhileLocked`.
  @exclusivity(unchecked) @usableFromInline final var storedRoster = Roster()

  // A writer stores the watermark under the lock. Any thread may load it without the lock.
  @usableFromInline final let published = Atomic(Watermark(version: 0, isFinished: false))

  /// Where the values of the cell come from; nil if user code writes the cell.
  @usableFromInline package final let upstream: Upstream?

  /// The upstream, for a caller that holds the cell, and so need not count another reference to the upstream. To count
  /// one costs as much as to take a lock.
  @inlinable final var uncountedUpstream: Unmanaged<Upstream>? {
    unsafe upstream.map { unsafe .passUnretained($0) }
  }

  /// Whether the cell holds what several other cells hold.
  @usableFromInline final var isJoint: Bool { upstream?.isJoint ?? false }

  private final weak var storedHost: (any Actor)?

  /// Where user code created the cell; the name of the operator, if an operator made it. Set once, before the cell is
  /// shared.
  package final private(set) var site = CallSite()

  /// The actor that owns this cell, while the actor lives.
  package final var host: (any Actor)? { storedHost ?? upstream?.host }

  /// An operation for callers that do not know the type of the cell's value.
  @safe
  @usableFromInline
  package enum ErasedOperation {
    /// Copies the value into a snapshot.
    case copyValueWhileLocked(AnyPassSnapshot)
    /// Releases the snapshot's copy. Never performed under a lock.
    case releaseValue(AnyPassSnapshot)
    /// Swaps the cell's value with the value at an address.
    case exchangeWhileLocked(UnsafeMutableRawPointer, UnsafeMutablePointer<ExchangeEffects>)
    /// Destroys the value at an address. Never performed under a lock.
    case destroy(UnsafeMutableRawPointer)
    /// Creates an empty snapshot, and stores it at an address.
    case makePassSnapshot(UnsafeMutablePointer<AnyPassSnapshot?>)
    /// Begins to give each update an instant, or ends that.
    case orderWhileLocked(begins: Bool)
  }

  /// Performs an operation. This is a stored function and not a method, because Swift does not specialize a method of a
  /// generic class if the call goes through the method table.
  private let perform: @Sendable (AnyCell, ErasedOperation) -> Void

  @usableFromInline
  init(
    upstream: Upstream?,
    perform: @escaping @Sendable (AnyCell, ErasedOperation) -> Void
  ) {
    self.upstream = upstream
    self.perform = perform
  }

  deinit {
    if isRecorded.load(ordering: .relaxed) { CellRecord.all.remove(ObjectIdentifier(self)) }
  }

  /// The roster, for a caller that holds the lock.
  @inlinable
  @inline(__always)
  package final var rosterWhileLocked: Roster {
    _read { yield unsafe storedRoster }
    _modify { yield unsafe &storedRoster }
  }

  /// Fills the snapshot of a pass. The snapshot was empty, so this releases no value under the lock.
  package final func fillWhileLocked(_ pass: AnyPassSnapshot, _ roster: Roster) {
    pass.setWatermarkWhileLocked(roster)
    perform(self, .copyValueWhileLocked(pass))
  }

  /// Releases the value of a snapshot whose pass is over. Never called under a lock.
  package final func clear(_ pass: AnyPassSnapshot) {
    perform(self, .releaseValue(pass))
  }

  /// Swaps the cell's value with the value at an address.
  final func exchangeValueWhileLocked(at address: UnsafeMutableRawPointer, _ exchange: inout ExchangeEffects)
  {
    unsafe withUnsafeMutablePointer(to: &exchange) { unsafe perform(self, .exchangeWhileLocked(address, $0)) }
  }

  /// Destroys a value of the cell's type. Never called under a lock.
  final func destroyValue(at address: UnsafeMutableRawPointer) {
    unsafe perform(self, .destroy(address))
  }

  /// Sets the actor that owns this cell, and where user code created that actor. The initializer of that actor calls
  /// this once.
  ///
  /// - Parameter name: The name of the cell, for diagnostics; nil if it has none.
  @usableFromInline
  package final func belongs(to host: any Actor, at site: CallSite, name: String? = nil) {
    storedHost = host
    self.site = site
    if name != nil || Tracking.recordsReaders { record(as: name) }
    if EventHook.isOn { EventHook.emit(.cellCreated(label)) }
  }

  /// Notes which operator has made this cell.
  @usableFromInline
  package final func isMade(by operator: StaticString) {
    site = CallSite(`operator`, 0)
  }

  /// Makes the actor that owns `first` the owner of this cell too. `first` is one of the cells that this cell follows.
  /// Called once.
  @usableFromInline
  package final func belongs(toHostOf first: AnyCell) {
    storedHost = first.host
  }

  /// Returns an empty snapshot.
  @usableFromInline
  package final func makePassSnapshot() -> AnyPassSnapshot {
    var pass: AnyPassSnapshot?
    unsafe withUnsafeMutablePointer(to: &pass) { unsafe perform(self, .makePassSnapshot($0)) }
    guard let pass else { preconditionFailure("\(type(of: self)) does not know its value") }
    return pass
  }

  /// The version of the cell, and whether the cell has ended. Needs no lock.
  @inlinable
  @inline(__always)
  package final var watermark: Watermark {
    SchedulePoint.pass()
    return published.load(ordering: .acquiring)
  }

  /// Spins briefly for a version newer than `version`, and returns whether it finds one.
  ///
  /// Call this for a reader that was busy a moment ago: a writer that has just written more than once will probably
  /// write again. Parking, waking and scheduling the reader cost the reader and the writer more than this spin.
  @inlinable
  package final func spin(untilNewerThan version: UInt64) -> Bool {
    // If readers bring the cell up to date, no writer raises its version. So the spin would wait in vain.
    if let upstream, upstream.isPulled { return false }
    SchedulePoint.pass()
    for _ in 0..<Self.spinLimit {
      if published.load(ordering: .relaxed).version != version { return true }
      // Each load takes the line of memory with the lock away from the writer. So the reader waits between two loads,
      // and finds several updates then.
      SpinWait.once()
    }
    return published.load(ordering: .relaxed).version != version
  }

  /// The number of waits in one spin, which takes a few hundred nanoseconds.
  @inlinable static var spinLimit: Int { 5 }

  /// Publishes the watermark of the cell.
  @inlinable
  final func publishWhileLocked(_ watermark: Watermark) {
    SchedulePoint.pass()
    published.store(watermark, ordering: .releasing)
    // A reader without the lock may see the watermark before the writer releases the lock.
    SchedulePoint.pass()
  }

  /// Performs one step under the lock. The caller acts on the result of the step, or releases it, after the lock.
  @inlinable
  @inline(__always)
  package final func locked<Result: Sendable>(_ step: (inout Roster) -> Result) -> Result {
    lock.withLock { unsafe step(&storedRoster) }
  }

  // Outside this folder, the body that runs under the lock is one of two things: one event of a state machine that the
  // lock guards, or one function whose name ends in `WhileLocked`. `.ci/run house` refuses any other body outside this
  // folder. So a search for the names of the events, and for `WhileLocked`, finds all code that runs under a lock. Only
  // events change the roster and the state.

  /// Performs one step of a reader under the lock. The upstream may bring the cell up to date first.
  @inlinable
  @inline(__always)
  package final func read<Result: Sendable>(
    for purpose: Upstream.Purpose,
    _ step: (inout Roster) -> Result
  ) -> Result {
    guard let upstream = unsafe uncountedUpstream else { return locked(step) }
    return unsafe upstream._withUnsafeGuaranteedRef { read(through: $0, for: purpose, step) }
  }

  @inlinable
  final func read<Result: Sendable>(
    through upstream: Upstream,
    for purpose: Upstream.Purpose,
    _ step: (inout Roster) -> Result
  ) -> Result {
    var result: Result?
    upstream.perform(self, for: purpose) { result = step(&$0) }
    // Moves the result out: to copy it would count the references that it holds.
    guard let taken = result.take() else { preconditionFailure("\(type(of: upstream)) left a step out") }
    return taken
  }

  /// Begins to give each update an instant. A cell that is brought up to date by its readers gives its updates the
  /// instants of what it shows: it needs no call.
  @usableFromInline
  package final func startOrdering() {
    locked { _ in startOrderingWhileLocked() }
  }

  /// As `startOrdering`.
  @usableFromInline
  package final func startOrderingWhileLocked() {
    if upstream?.isPulled ?? false { return }
    perform(self, .orderWhileLocked(begins: true))
  }

  /// Undoes one call of `startOrdering`.
  @usableFromInline
  package final func stopOrderingWhileLocked() {
    if upstream?.isPulled ?? false { return }
    perform(self, .orderWhileLocked(begins: false))
  }

  /// Brings the cell up to date, if it has an upstream with something new.
  @inlinable
  @inline(__always)
  package final func refreshIfStale() {
    if let upstream, upstream.isStale { upstream.refresh(self) }
  }

  /// The number of updates that the cell keeps for readers with the backlog `.bounded`.
  package func windowCountWhileLocked() -> Int {
    preconditionFailure("\(type(of: self)) does not say what it keeps")
  }

  /// The number of readers with the backlog `.unbounded`, with the positions of combinations and relays.
  package func unboundedReaderCountWhileLocked() -> Int {
    preconditionFailure("\(type(of: self)) does not say what it keeps")
  }

  /// Brings the cell up to date, if it has an upstream.
  @usableFromInline
  package final func refresh() {
    upstream?.refresh(self)
  }

  /// Brings the cell up to date for its parked readers, because a cell that it follows was written.
  package final func refreshParkedReaders() {
    upstream?.refresh(self, for: .refreshing)
  }

  /// Ends the cell. Idempotent.
  ///
  /// - Parameter owner: The type of the owner that is being deallocated; nil if it lives.
  /// - Returns: The cells that follow this cell, if its owner is being deallocated.
  @discardableResult
  package final func finish(ofDying owner: Any.Type? = nil) -> [AnyCell] {
    let ending = locked { finishWhileLocked(&$0, takesFollowers: owner != nil) }
    ending.woken.wake()
    if ending.isFirst, EventHook.isOn { EventHook.emit(.cellFinished(label(ofDying: owner))) }
    return ending.followers
  }

  private final func finishWhileLocked(_ roster: inout Roster, takesFollowers: Bool) -> Ending {
    defer { publishWhileLocked(roster.watermark) }
    let isFirst = !roster.isFinished
    let followers = takesFollowers ? Array(roster.followers.values) : []
    return Ending(isFirst: isFirst, woken: roster.finished(), followers: followers)
  }

  private struct Ending: Sendable {
    let isFirst: Bool
    let woken: Woken
    let followers: [AnyCell]
  }
}

// MARK: - Steps of one event

extension AnyCell {
  /// The number of updates.
  @usableFromInline package final var version: UInt64 { locked { $0.version } }

  /// Whether the cell has ended.
  package final var isFinished: Bool { locked { $0.isFinished } }

  /// Registers `waiter`, which the end of the cell will wake. Returns false if the cell has ended already: then nothing
  /// will wake `waiter`.
  @discardableResult
  package final func joinEnd(_ waiter: Waiter) -> Bool {
    locked { $0.endWaiterJoined(waiter) }
  }

  /// Removes `waiter`, so that the end of the cell does not wake it. If the cell has ended, the thread that ended it
  /// may still be about to wake `waiter`.
  package final func leaveEnd(_ waiter: Waiter) {
    _ = locked { $0.endWaiterLeft(waiter) }
  }
}

extension AnyCell: CustomReflectable {
  /// An empty mirror. A failed `#expect` reflects the values that it names. Without this mirror, the reflection would
  /// read the variables that the lock guards, without the lock.
  public final var customMirror: Mirror { Mirror(self, children: []) }
}

// A caller performs an operation at once, and never stores it.
@available(*, unavailable)
extension AnyCell.ErasedOperation: Sendable {}
