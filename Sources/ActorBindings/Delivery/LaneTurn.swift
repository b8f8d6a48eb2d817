/// How long a lane may keep its context, and how many calls it makes before it reads the clock.
///
/// A turn ends after `longest` nanoseconds, or with the pass in which it has made `mostCalls` calls. To read the clock
/// costs more than a fast handler. So the lane reads it once for every `quantum` calls. The quantum begins small,
/// grows while the handlers are fast, and shrinks when they are slow, to a single call. A turn of one or two calls
/// reads no clock at all: the time counts from the first look. Only after a turn that the time has ended is the clock
/// read before the first call.
///
/// ### Events
/// | event | effect |
/// |---|---|
/// | `visited` | as many calls more; a look is due if they come to a quantum |
/// | `looked` | the turn may be over; the quantum follows the time that the last calls took |
package struct LaneTurn: Sendable {
  /// The time of a turn, in nanoseconds.
  package static let longest: UInt64 = 2_000_000
  /// The number of calls after which a turn begins no other pass.
  package static let mostCalls = 4096
  /// The largest number of calls between two looks at the clock.
  package static let largestQuantum: UInt8 = 64
  // The handlers are not known yet. A visit of two calls ends with a single element, since it has room to find that there is
  // no other.
  private static let firstQuantum: UInt8 = 2

  /// The number of calls before the lane reads the clock again. No visit makes more calls.
  package private(set) var quantum: UInt8
  /// The time is over.
  package private(set) var isOver = false
  private var callsUntilLook: Int
  // Without those until the next look.
  private var callsLeft: Int
  // Nil before the first look.
  private var begun: UInt64?
  private var lastLook: UInt64 = 0

  private init(quantum: UInt8, callsUntilLook: Int) {
    self.quantum = quantum
    self.callsUntilLook = callsUntilLook
    callsLeft = Self.mostCalls - Int(quantum)
  }

  package init() {
    self.init(quantum: Self.firstQuantum, callsUntilLook: Int(Self.firstQuantum))
  }

  /// A turn after one that the time has ended: the handlers are slow.
  package init(at now: UInt64) {
    self.init(quantum: 1, callsUntilLook: 1)
    begun = now
    lastLook = now
  }

  /// A turn that no clock ends.
  static var endless: LaneTurn {
    LaneTurn(quantum: largestQuantum, callsUntilLook: .max / 2)
  }

  /// Another pass may begin.
  package var mayGoOn: Bool { !isOver && callsLeft + callsUntilLook > 0 }

  /// The clock must be read before the next visit.
  package var isLookDue: Bool { callsUntilLook <= 0 }

  /// The lane has visited an observation and called its handler `calls` times. A visit without a call counts as one call.
  package mutating func visited(calls: UInt8) {
    callsUntilLook &-= max(1, Int(calls))
  }

  package mutating func looked(at now: UInt64) {
    if let begun {
      followHandlers(now)
      isOver = now > begun && now - begun >= Self.longest
    } else {
      begun = now
    }
    lastLook = now
    callsLeft &+= callsUntilLook - Int(quantum)
    callsUntilLook = Int(quantum)
  }

  private mutating func followHandlers(_ now: UInt64) {
    // A clock that stands still, or was exchanged for one that does, ends no turn.
    let taken = now > lastLook ? now - lastLook : 0
    let aim = Self.longest / 4
    if taken > aim {
      quantum = UInt8(max(1, UInt64(quantum) * aim / taken))
    } else if taken < aim / 2 {
      // A fast handler seldom becomes slow: so few looks lead to the largest quantum.
      let grown = (taken < aim / 32 ? 4 : 2) * Int(quantum)
      quantum = UInt8(min(Int(Self.largestQuantum), grown))
    }
  }
}
