/// Which driver may write a relay's cell. A pure state machine.
///
/// ### States
/// - *undriven*: no driver writes the cell.
/// - *driven*: one driver writes it, through its outlet.
///
/// Each start of a driver has an outlet, numbered in the order of the starts. It is *unopened* until its driver has its
/// places in the sources, then *open* while that driver is the one that writes, then *closed* for good.
///
/// ### Transitions
/// | event | undriven | driven |
/// |---|---|---|
/// | `driverReady` | driven, if no newer outlet was ever open; else refused | refused, unless its outlet is open already |
/// | `readersChanged`, some, or one is about to come | a driver must be started | nothing |
/// | `readersChanged`, none | nothing | undriven; the driver must be stopped |
///
/// In a finished cell nothing is started, and a driver is stopped.
///
/// ### Actions
/// A `Need` is met after the lock. A driver that is refused gives up its places.
///
/// ### Behavior
/// One driver writes at a time. Several may be starting at once: the first that is ready is the driver, and an outlet that
/// is older than one that was open never opens, so that what a stopped driver still does is lost.
@usableFromInline
package struct RelayState: Sendable {
  /// The one that writes.
  @usableFromInline private(set) var driver: (any RelayDriver)?
  // The newest outlet that was opened: that of `driver`, if there is one.
  @usableFromInline private(set) var newestOpened = 0
  private var started = 0

  package init() {}

  /// What must be done after the lock.
  package enum Need: Sendable {
    case nothing
    /// Start a driver, with the outlet of this number.
    case start(Int)
    case stop(any RelayDriver)
  }

  @inlinable
  package func isOpen(_ outlet: Int) -> Bool {
    driver != nil && newestOpened == outlet
  }

  /// Readers have come, or one is about to come, or some have left.
  package mutating func readersChanged(isRead: Bool, isFinished: Bool) -> Need {
    if isRead, !isFinished { return driver == nil ? .start(nextOutlet()) : .nothing }
    return driver.take().map { .stop($0) } ?? .nothing
  }

  /// A driver has its places in the sources. False if it may not write.
  package mutating func driverReady(_ new: any RelayDriver, outlet: Int, isFinished: Bool) -> Bool {
    if isOpen(outlet) { return true }
    guard driver == nil, outlet > newestOpened, !isFinished else { return false }
    driver = new
    newestOpened = outlet
    return true
  }

  private mutating func nextOutlet() -> Int {
    started += 1
    return started
  }
}

/// Writes a relay's cell.
@usableFromInline
package protocol RelayDriver: AnyObject, Sendable {
  /// The cell that it reads; nil before it begins, and after it has ended.
  var source: AnyCell? { get }

  /// Its outlet is closed: it ends.
  func stop()
}
