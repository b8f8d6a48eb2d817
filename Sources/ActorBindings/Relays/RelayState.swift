/// Which driver may write a relay's cell. A pure state machine.
///
/// ### States
/// - *undriven*: no driver writes the cell.
/// - *driven*: one driver writes the cell, through the driver's writer.
/// - *lingering*: no reader is left, but the driver goes on for a while. Only some relays linger.
///
/// Each driver that is started gets a writer. The writers are numbered in the order of these starts. A writer is
/// *unopened* until its driver has its positions in the sources, then *open* while that driver may write the cell, then
/// *closed* for good.
///
/// ### Transitions
/// | event | undriven | driven | lingering |
/// |---|---|---|---|
/// | `driverReady` | driven, if neither its writer nor a newer writer was ever open; else refused | refused, unless its writer is open already | the same |
/// | `readersChanged`, there are readers, or a reader is about to come | a driver must be started | nothing | driven |
/// | `readersChanged`, no reader is left | nothing | lingering, with the next number, if the relay lingers; else undriven, and the driver must be stopped | nothing |
/// | `timePassed` since the relay began to linger with a number | nothing | nothing | undriven, if it still lingers with that number; the driver must be stopped |
///
/// When the cell has finished, no driver is started any more, and the driver that writes the cell is stopped at once.
///
/// ### Actions
/// The caller performs a `DriverChange` after the lock. A driver that is refused gives up its positions.
///
/// ### Behavior
/// One driver writes at a time. Several drivers may be starting at once: the first that is ready may write. A writer
/// that was open never opens again, nor does any older writer. So whatever a stopped driver still writes is lost.
@usableFromInline
package struct RelayState: Sendable {
  /// The driver that may write; nil if there is none.
  @usableFromInline private(set) var driver: (any RelayDriver)?
  // The newest writer that was ever open: the writer of `driver`, if there is a driver.
  @usableFromInline private(set) var newestOpened = 0
  private var started = 0
  private let mayLinger: Bool
  // Whether no reader is left, and the driver goes on.
  private var isLingering = false
  // How often the relay has begun to linger.
  private var lingerings = 0

  /// - Parameter mayLinger: Whether the driver goes on for a while when no reader is left.
  package init(mayLinger: Bool = false) {
    self.mayLinger = mayLinger
  }

  /// What the caller must do after the lock.
  package enum DriverChange: Sendable {
    case nothing
    /// Start a driver, with the writer of this number.
    case start(Int)
    case stop(any RelayDriver)
    /// Call `timePassed` with this number after some time.
    case linger(Int)
  }

  /// Whether the cell must keep its value though it has no readers.
  package var keepsValue: Bool { isLingering }

  @inlinable
  package func isOpen(_ writer: Int) -> Bool {
    driver != nil && newestOpened == writer
  }

  /// Readers have come or left, or a reader is about to come.
  package mutating func readersChanged(isRead: Bool, isFinished: Bool) -> DriverChange {
    if isFinished { return stop() }
    if isRead {
      isLingering = false
      return driver == nil ? .start(nextWriter()) : .nothing
    }
    if !mayLinger || driver == nil { return stop() }
    if isLingering { return .nothing }
    isLingering = true
    lingerings += 1
    return .linger(lingerings)
  }

  /// The time for which the relay lingers is over. It began when the relay began to linger for the time with this
  /// number: since then readers may have come, and may have left again.
  package mutating func timePassed(lingering number: Int) -> DriverChange {
    isLingering && number == lingerings ? stop() : .nothing
  }

  private mutating func stop() -> DriverChange {
    isLingering = false
    return driver.take().map { .stop($0) } ?? .nothing
  }

  /// A driver has its positions in the sources. Returns false if the driver must not write.
  package mutating func driverReady(_ new: any RelayDriver, writer: Int, isFinished: Bool) -> Bool {
    if isOpen(writer) { return true }
    guard driver == nil, writer > newestOpened, !isFinished else { return false }
    driver = new
    newestOpened = writer
    return true
  }

  private mutating func nextWriter() -> Int {
    started += 1
    return started
  }
}

/// Writes a relay's cell.
@usableFromInline
package protocol RelayDriver: AnyObject, Sendable {
  /// What reads the sources of the driver; empty before the driver begins, and after it has ended.
  var currentReaders: [RelayReader] { get }

  /// Ends the driver: its writer is closed.
  func stop()
}
