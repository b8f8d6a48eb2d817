import ActorBindings
import Testing

// `#expect` cannot take a value that is not copyable, so this class stands for it.
private final class Parking {
  private let state = EarlyParking()

  func parked() { state.parkedWhileLocked() }
  func contended() -> Bool { state.contended() }
  func endedUncontended() -> Bool { state.endedUncontended() }
  func endedWhileLocked() { state.endedWhileLocked() }
}

/// Each event of `EarlyParking` in each state.
@Suite
struct EarlyParkingTests {
  @Test
  func `without a turn that has parked its lane, another thread finds none, and an end takes the lock`() {
    let parking = Parking()
    #expect(!parking.contended())
    #expect(!parking.endedUncontended())
    #expect(!parking.contended())
  }

  @Test
  func `a turn that no other thread has seen ends without the lock`() {
    let parking = Parking()
    parking.parked()
    #expect(parking.endedUncontended())
    #expect(!parking.contended(), "the turn is over, but counts as under way")
    #expect(!parking.endedUncontended(), "the turn has ended twice")
  }

  @Test
  func `a turn that another thread has seen ends under the lock`() {
    let parking = Parking()
    parking.parked()
    #expect(parking.contended())
    #expect(parking.contended(), "the second thread does not find the turn")
    #expect(!parking.endedUncontended())
    #expect(parking.contended(), "the attempt to end the turn has ended it")
    parking.endedWhileLocked()
    #expect(!parking.contended(), "the turn is over, but counts as under way")
  }

  @Test
  func `the next turn parks its lane again`() {
    let parking = Parking()
    for isContended in [false, true, false] {
      parking.parked()
      if isContended { #expect(parking.contended()) }
      #expect(parking.endedUncontended() == !isContended)
      parking.endedWhileLocked()
    }
  }
}
