import ActorBindings
import Testing

@Suite
struct RelayStateTests {
  private final class Driver: RelayDriver {
    var currentReaders: [RelayReader] { [] }

    func stop() {}
  }

  private var state = RelayState()
  private let driver = Driver()

  @Test
  mutating func `the first reader starts a driver, the next reader uses it`() {
    guard case .start(let writer) = state.readersChanged(isRead: true, isFinished: false) else {
      Issue.record("no driver was started")
      return
    }
    #expect(!state.isOpen(writer))
    #expect(state.driverReady(driver, writer: writer, isFinished: false) == true)
    #expect(state.isOpen(writer))
    // The driver may report again that it is ready.
    #expect(state.driverReady(driver, writer: writer, isFinished: false) == true)
    guard case .nothing = state.readersChanged(isRead: true, isFinished: false) else {
      Issue.record("a second driver was started")
      return
    }
  }

  @Test
  mutating func `of several drivers the first that is ready is used`() {
    _ = state.readersChanged(isRead: true, isFinished: false)
    _ = state.readersChanged(isRead: true, isFinished: false)
    #expect(state.driverReady(driver, writer: 2, isFinished: false) == true)
    #expect(state.driverReady(Driver(), writer: 1, isFinished: false) == false)
    #expect(state.isOpen(2) && !state.isOpen(1))
  }

  @Test
  mutating func `a driver that is ready while another one writes is refused, though its writer is newer`() {
    _ = state.readersChanged(isRead: true, isFinished: false)
    _ = state.readersChanged(isRead: true, isFinished: false)
    #expect(state.driverReady(driver, writer: 1, isFinished: false) == true)
    #expect(state.driverReady(Driver(), writer: 2, isFinished: false) == false)
    #expect(state.isOpen(1) && !state.isOpen(2))
  }

  @Test
  mutating func `when the last reader has left, the writer is closed for good`() {
    _ = state.readersChanged(isRead: true, isFinished: false)
    _ = state.readersChanged(isRead: true, isFinished: false)
    _ = state.driverReady(driver, writer: 2, isFinished: false)
    guard case .stop(let found) = state.readersChanged(isRead: false, isFinished: false) else {
      Issue.record("the driver was not stopped")
      return
    }
    #expect(found === driver)
    #expect(!state.isOpen(2))
    for writer in 1...2 { #expect(state.driverReady(driver, writer: writer, isFinished: false) == false) }
    guard case .start(3) = state.readersChanged(isRead: true, isFinished: false) else {
      Issue.record("no driver was started for the next reader")
      return
    }
    #expect(state.driverReady(driver, writer: 3, isFinished: false) == true)
  }

  @Test
  mutating func `in a finished cell nothing is started, and the driver is stopped`() {
    guard case .nothing = state.readersChanged(isRead: true, isFinished: true) else {
      Issue.record("a driver was started")
      return
    }
    guard case .start(let writer) = state.readersChanged(isRead: true, isFinished: false) else {
      Issue.record("no driver was started")
      return
    }
    #expect(state.driverReady(driver, writer: writer, isFinished: true) == false)
    #expect(state.driverReady(driver, writer: writer, isFinished: false) == true)
    guard case .stop = state.readersChanged(isRead: true, isFinished: true) else {
      Issue.record("the driver was not stopped")
      return
    }
  }

  private mutating func beginLingering() -> Int? {
    state = RelayState(mayLinger: true)
    _ = state.readersChanged(isRead: true, isFinished: false)
    _ = state.driverReady(driver, writer: 1, isFinished: false)
    if case .linger(let number) = state.readersChanged(isRead: false, isFinished: false) { return number }
    return nil
  }

  @Test
  mutating func `a relay that lingers keeps its driver until the time has passed`() throws {
    let number = try #require(beginLingering())
    #expect(state.isOpen(1))
    // Another reader may leave that nothing counted as a reader.
    guard case .nothing = state.readersChanged(isRead: false, isFinished: false) else {
      Issue.record("the relay began to linger twice")
      return
    }
    guard case .stop(let found) = state.timePassed(lingering: number) else {
      Issue.record("the driver was not stopped")
      return
    }
    #expect(found === driver)
    #expect(!state.isOpen(1))
    guard case .nothing = state.timePassed(lingering: number) else {
      Issue.record("the driver was stopped twice")
      return
    }
  }

  @Test
  mutating func `a reader in time keeps the driver, and the time counts from the last leave`() throws {
    let first = try #require(beginLingering())
    guard case .nothing = state.readersChanged(isRead: true, isFinished: false),
      case .nothing = state.timePassed(lingering: first),
      case .linger(let second) = state.readersChanged(isRead: false, isFinished: false),
      case .nothing = state.timePassed(lingering: first)
    else {
      Issue.record("the time of the first leave counted")
      return
    }
    #expect(state.isOpen(1))
    guard case .stop = state.timePassed(lingering: second) else {
      Issue.record("the driver was not stopped")
      return
    }
  }

  @Test
  mutating func `a cell that finishes does not linger`() throws {
    let number = try #require(beginLingering())
    guard case .stop = state.readersChanged(isRead: false, isFinished: true),
      case .nothing = state.timePassed(lingering: number)
    else {
      Issue.record("the driver was not stopped at once")
      return
    }
  }

  @Test
  mutating func `a relay keeps its value just while it lingers`() throws {
    state = RelayState(mayLinger: true)
    #expect(!state.keepsValue)
    // Without a driver there is nothing to linger for.
    guard case .nothing = state.readersChanged(isRead: false, isFinished: false) else {
      Issue.record("the relay lingered without a driver")
      return
    }
    #expect(!state.keepsValue)
    let number = try #require(beginLingering())
    #expect(state.keepsValue)
    _ = state.timePassed(lingering: number)
    #expect(!state.keepsValue)
  }
}
