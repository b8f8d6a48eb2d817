/// Decides how long a turn lasts, and how many calls a lane makes before it reads the clock. The reader of a relay also
/// has a budget: each element that the reader asks for counts as a call.
///
/// A turn ends after `longest` nanoseconds, or at the end of the pass in which the number of its calls reaches
/// `mostCalls`. Reading the clock costs more than a fast handler, so the lane reads it once for every `quantum` calls.
/// The quantum begins small, grows while the handlers are fast, and shrinks when they are slow, down to a single call.
/// The time of a turn begins with the first reading of the clock, so a turn of one or two calls does not read the clock
/// at all. If the last turn ended because its time had run out, the lane reads the clock before the first call.
///
/// ### Events
/// | event | effect |
/// |---|---|
/// | `spent` | the calls are counted; a reading is due once they amount to a quantum |
/// | `clockRead` | the turn may be over; the quantum follows the time that the last calls took |
package struct TurnBudget: Sendable {
  /// The longest time of a turn, in nanoseconds.
  package static let longest: UInt64 = 2_000_000
  /// The number of calls after which a turn begins no further pass.
  package static let mostCalls = 4096
  /// The largest number of calls between two readings of the clock.
  package static let largestQuantum: UInt8 = 64
  // Small, because the speed of the handlers is not known yet. Two and not one, so that a delivery of a
  // single element also finds that there is no other element.
  private static let firstQuantum: UInt8 = 2

  /// The number of calls before the lane reads the clock again. No delivery to one observation makes more calls than
  /// this.
  package private(set) var quantum: UInt8
  /// Whether the time of the turn has run out.
  package private(set) var isOver = false
  private var callsUntilReading: Int
  // The number of calls that the turn may make after the next reading.
  private var callsLeft: Int
  // The time of the first reading; nil before it.
  private var begun: UInt64?
  private var lastReading: UInt64 = 0

  private init(quantum: UInt8, callsUntilReading: Int) {
    self.quantum = quantum
    self.callsUntilReading = callsUntilReading
    callsLeft = Self.mostCalls - Int(quantum)
  }

  package init() {
    self.init(quantum: Self.firstQuantum, callsUntilReading: Int(Self.firstQuantum))
  }

  /// Creates the budget of a turn that follows a turn whose time had run out. The handlers are slow, so at first the
  /// lane reads the clock after each call.
  package init(at now: UInt64) {
    self.init(quantum: 1, callsUntilReading: 1)
    begun = now
    lastReading = now
  }

  /// The budget of a turn that no clock ends.
  static var endless: TurnBudget {
    TurnBudget(quantum: largestQuantum, callsUntilReading: .max / 2)
  }

  /// The budget of a turn that ends after two calls: one delivers the update for which the turn was begun, the other
  /// finds that there is no other update.
  static var shortest: TurnBudget {
    var budget = TurnBudget(quantum: firstQuantum, callsUntilReading: Int(firstQuantum))
    budget.callsLeft = 0
    return budget
  }

  /// Whether another pass may begin.
  package var mayGoOn: Bool { !isOver && callsLeft + callsUntilReading > 0 }

  /// Whether the lane must read the clock before the next delivery.
  package var isClockDue: Bool { callsUntilReading <= 0 }

  /// A delivery to one observation has made `calls` calls. A delivery without a call counts as one call.
  package mutating func spent(calls: UInt8) {
    callsUntilReading &-= max(1, Int(calls))
  }

  package mutating func clockRead(at now: UInt64) {
    if let begun {
      followHandlers(now)
      isOver = now > begun && now - begun >= Self.longest
    } else {
      begun = now
    }
    lastReading = now
    callsLeft &+= callsUntilReading - Int(quantum)
    callsUntilReading = Int(quantum)
  }

  private mutating func followHandlers(_ now: UInt64) {
    // A clock that stands still ends no turn. The explorer makes the clock stand still at 0, so `now` may be lower than
    // the last reading: then no time has passed.
    let taken = now > lastReading ? now - lastReading : 0
    let aim = Self.longest / 4
    if taken > aim {
      quantum = UInt8(max(1, UInt64(quantum) * aim / taken))
    } else if taken < aim / 2 {
      // A fast handler seldom becomes slow, so the quantum grows to its maximum within a few readings.
      let grown = (taken < aim / 32 ? 4 : 2) * Int(quantum)
      quantum = UInt8(min(Int(Self.largestQuantum), grown))
    }
  }
}
