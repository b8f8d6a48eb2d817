/// How long a lane may keep its context, and how many calls it makes before it reads the clock again.
///
/// A turn ends after `mostCalls` calls or after `longest` nanoseconds, whichever comes first. To read the clock costs more
/// than a fast handler. So the lane reads it once for every `quantum` calls, and the quantum follows the handlers: it shrinks
/// when they are slow, to a single call, and grows again when they are fast.
///
/// ### Events
/// | event | effect |
/// |---|---|
/// | `visited` | as many calls more; the clock is to be read if they come to a quantum |
/// | `looked` | the turn may be over; the quantum follows the time that the last calls took |
package struct LaneTurn: Sendable {
  /// So many nanoseconds.
  package static let longest: UInt64 = 2_000_000
  package static let mostCalls = 4096
  package static let largestQuantum: UInt8 = 64
  /// A lane begins with this one: its handlers are not known.
  package static let firstQuantum: UInt8 = 4

  /// So many calls before the clock is read again; no visit makes more.
  package private(set) var quantum: UInt8
  /// The time is over.
  package private(set) var isOver = false
  private var callsLeft = Self.mostCalls
  private var callsSinceLook = 0
  private let begun: UInt64
  private var lastLook: UInt64

  package init(at now: UInt64, quantum: UInt8) {
    self.quantum = quantum
    begun = now
    lastLook = now
  }

  /// Another pass may begin.
  package var mayGoOn: Bool { callsLeft > 0 && !isOver }

  package var isLookDue: Bool { callsSinceLook >= quantum }

  package mutating func visited(calls: UInt8) {
    callsLeft -= Int(max(1, calls))
    callsSinceLook += Int(calls)
  }

  package mutating func looked(at now: UInt64) {
    // A clock that stands still, or was exchanged for one that does, ends no turn.
    let taken = now > lastLook ? now - lastLook : 0
    let aim = Self.longest / 4
    if taken > aim {
      quantum = UInt8(max(1, UInt64(quantum) * aim / taken))
    } else if taken < aim / 2 {
      quantum = min(Self.largestQuantum, 2 * quantum)
    }
    lastLook = now
    callsSinceLook = 0
    isOver = now > begun && now - begun >= Self.longest
  }
}
