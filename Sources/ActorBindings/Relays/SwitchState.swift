/// Which values of the inner sources a switcher delivers. A pure state machine.
///
/// ### States
/// - *quiet*: each value of the newest inner source is delivered as it comes.
/// - *holding*: some values wait until it is known whether they came before the next switch. Or the newest inner source
///   may have begun with more elements than were read yet (`innerIsBehind`).
/// - *due*: the outer source has delivered a newer inner source. The old inner source is read up to the limit.
///
/// In each state, each of the two sources may have ended, and a turn of the inner source's reader may be reading the
/// outer source (`isLooking`).
///
/// The *limit* of a switch is the instant of the update of the outer source that made the switch due. The *goal* of a
/// value is a version of the outer source that includes everything that was written before the value was read. Two
/// measures are needed: an instant also decides on values that are read later, but the values with which a source begins
/// have no instant.
///
/// ### Transitions
/// | event | quiet | holding | due |
/// |---|---|---|---|
/// | `sourceCame` | due | due | due: the newer source takes the place of the other; the limit stays |
/// | `valueCame` | holding | the value waits too | the value waits, without a goal |
/// | `takeDeliverable` | nothing | the values whose goal is reached are delivered; quiet if all are | the values from before the limit are delivered, and those whose goal was reached before the limit |
/// | `switched` | nothing | nothing | quiet: the values that still wait are dropped |
///
/// ### Behavior
/// A value whose goal is reached came before each later switch: if the outer source had been written before that value,
/// the switcher would have read it. The values of one source come in order, so the values before such a value came
/// before the switch too. A value is dropped if neither its goal nor its instant shows that it came before the switch.
@usableFromInline
package struct SwitchState<Source: Sendable, Value: Sendable>: Sendable {
  // The switch that is due: the new inner source, and the limit. The limit is nil if the switcher does not know it.
  @usableFromInline var due: OrderedElement<Source>?
  // The version of the outer source that was read before the update that made a switch due.
  @usableFromInline var versionBeforeLimit: UInt64 = 0
  // The version of the old inner source that includes everything from before the limit; nil until it is needed.
  @usableFromInline var end: UInt64?
  /// The version of the outer source that was read before the newest inner source came. What came up to this version is
  /// settled: a value that waits comes from the newest inner source.
  @usableFromInline package internal(set) var settledVersion: UInt64 = 0
  @usableFromInline var held: [Held] = []

  @usableFromInline
  struct Held: Sendable {
    @usableFromInline let element: OrderedElement<Value>
    /// Nil if a switch was due when the value came.
    @usableFromInline let goal: UInt64?

    @inlinable
    init(_ element: OrderedElement<Value>, goal: UInt64?) {
      self.element = element
      self.goal = goal
    }
  }

  @usableFromInline package var outerHasEnded = false
  /// True while there is no inner source yet.
  @usableFromInline package var innerHasEnded = true
  /// Whether the newest inner source may have begun with more elements than the switcher has read yet.
  @usableFromInline package var innerIsBehind = false
  /// Whether the turn of the inner source's reader reads the outer source just now.
  @usableFromInline package var isLooking = false

  @inlinable
  package init() {}

  /// Whether no value waits.
  @inlinable package var holdsNothing: Bool { held.isEmpty }

  /// Whether the state is *quiet*.
  @inlinable package var isQuiet: Bool { due == nil && held.isEmpty && !innerIsBehind }

  /// Whether a switch is due.
  @inlinable package var isDue: Bool { due != nil }

  /// The limit of the switch that is due, if the switcher knows it.
  @inlinable package var limit: LogicalInstant? { due?.instant }

  /// Whether both sources have ended, and nothing is left to do.
  @inlinable package var isOver: Bool { outerHasEnded && innerHasEnded && isQuiet }

  /// The outer source has delivered a newer inner source.
  ///
  /// - Parameter version: The version of the outer source that was read before.
  @inlinable
  package mutating func sourceCame(_ source: OrderedElement<Source>, after version: UInt64) {
    if !isDue { versionBeforeLimit = version }
    settledVersion = version
    let limit = isDue ? limit : source.instant
    due = OrderedElement(source.value, at: limit)
  }

  /// The inner source has delivered a value. It is not known yet whether a switch comes before that value.
  ///
  /// - Parameter goal: The version of the outer source after the value was read.
  @inlinable
  package mutating func valueCame(_ value: OrderedElement<Value>, goal: UInt64) {
    held.append(Held(value, goal: isDue ? nil : goal))
  }

  /// Returns the values that came before the switch that is due, or before the next switch.
  ///
  /// - Parameter version: The version of the outer source that was read; nil if the outer source has ended.
  @inlinable
  package mutating func takeDeliverable(at version: UInt64?) -> [Value] {
    let last = held.lastIndex { came($0, beforeSwitchAt: isDue ? versionBeforeLimit : version) }
    guard let last else { return [] }
    defer { held.removeFirst(last + 1) }
    return held[...last].map(\.element.value)
  }

  @inlinable
  func came(_ value: Held, beforeSwitchAt version: UInt64?) -> Bool {
    if value.element.isEarlier(than: limit) { return true }
    guard let version else { return true }
    return value.goal.map { Self.reaches(version, $0) } ?? false
  }

  /// Whether the old inner source is read as far as the switch that is due needs it.
  ///
  /// - Parameters:
  ///   - version: The version of the old inner source that was read.
  ///   - newest: Returns a version that includes everything that was written to the old inner source before the call.
  @inlinable
  package mutating func isReached(_ version: UInt64, newest: () -> UInt64) -> Bool {
    let end = end ?? newest()
    self.end = end
    return Self.reaches(version, end)
  }

  // Versions wrap around.
  @inlinable
  static func reaches(_ version: UInt64, _ goal: UInt64) -> Bool {
    Int64(bitPattern: version &- goal) >= 0
  }

  /// Nothing more is read from the old inner source. Returns the new one; nil if no switch is due.
  @inlinable
  package mutating func switched() -> Source? {
    guard let source = due.take()?.value else { return nil }
    held = []
    end = nil
    innerHasEnded = false
    innerIsBehind = false
    return source
  }
}
