/// What a cell held at the instant of a look.
public struct Shown<Value: Sendable>: Sendable {
  /// Nil while the cell has no readers: then it keeps no value alive.
  @usableFromInline package let value: Value?
  @usableFromInline package let version: UInt64
  /// The instant at which the value was written, if a reader compares instants.
  @usableFromInline package let instant: Instant
  /// Whether another part shows the same cell too, and counts its versions.
  @usableFromInline package let isRepeated: Bool

  @usableFromInline
  package init(
    _ value: Value?,
    version: UInt64,
    at instant: Instant = .unordered,
    isRepeated: Bool = false
  ) {
    self.value = value
    self.version = version
    self.instant = instant
    self.isRepeated = isRepeated
  }
}

/// What two cells held at one instant. Each of the two may itself be a joint cell.
public struct Joint<Left: Sendable, Right: Sendable>: Sendable {
  @usableFromInline package let left: Shown<Left>
  @usableFromInline package let right: Shown<Right>

  @inlinable
  package init(left: Shown<Left>, right: Shown<Right>) {
    self.left = left
    self.right = right
  }

  /// The value of a joint cell that has no readers.
  @inlinable
  static var empty: Joint {
    Joint(left: Shown(nil, version: 0), right: Shown(nil, version: 0))
  }
}

/// The state of the cells that a part shows.
@usableFromInline
package enum Look: Sendable {
  /// What the cells hold now. The caller holds the locks of all of them.
  case now
  /// What the cells held at the instant that their stands have reached.
  case passed
}

/// What a junction follows: one cell, or two parts together.
///
/// `show` is a stored function, created where the types are known, because client modules do not specialize the methods
/// of a generic class.
@usableFromInline
package struct Part<Value: Sendable>: Sendable {
  @usableFromInline let show: @Sendable (Look) -> Shown<Value>
  @usableFromInline let stands: [AnyStand]

  @inlinable
  init(stands: [AnyStand], _ show: @escaping @Sendable (Look) -> Shown<Value>) {
    self.stands = stands
    self.show = show
  }
}

extension Part {
  /// Creates a part that shows two parts together.
  @inlinable
  init<Left, Right>(_ left: Part<Left>, _ right: Part<Right>) where Value == Joint<Left, Right> {
    self.init(stands: left.stands + right.stands) { look in
      let (onLeft, onRight) = (left.show(look), right.show(look))
      // The versions of both only rise, so their sum changes when either changes.
      return Shown(
        Joint(left: onLeft, right: onRight),
        version: onLeft.version &+ onRight.version,
        at: max(onLeft.instant, onRight.instant)
      )
    }
  }
}
