/// What a cell held at the instant of a look.
public struct Shown<Value: Sendable>: Sendable {
  /// Nil while nobody reads: then nothing is kept alive.
  @usableFromInline package let value: Value?
  @usableFromInline package let version: UInt64
  /// When it was written, if somebody compares that.
  @usableFromInline package let instant: Instant
  /// The same cell is shown by another part too, and counted there.
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

/// What two cells held at one instant. Each may itself be a cell that shows two.
public struct Joint<Left: Sendable, Right: Sendable>: Sendable {
  @usableFromInline package let left: Shown<Left>
  @usableFromInline package let right: Shown<Right>

  @inlinable
  package init(left: Shown<Left>, right: Shown<Right>) {
    self.left = left
    self.right = right
  }

  /// Of a junction that nobody reads.
  @inlinable
  static var empty: Joint {
    Joint(left: Shown(nil, version: 0), right: Shown(nil, version: 0))
  }
}

/// Which of two things a part shows.
@usableFromInline
package enum Look: Sendable {
  /// What the cells hold. Under the locks of all of them.
  case now
  /// What they held at the instant that their stands have come to.
  case passed
}

/// What a junction follows: a cell, or two parts together.
///
/// What it shows is a stored function, made where the types are known: the methods of a generic class are not
/// specialized in client modules.
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
  /// Both together.
  @inlinable
  init<Left, Right>(_ left: Part<Left>, _ right: Part<Right>) where Value == Joint<Left, Right> {
    self.init(stands: left.stands + right.stands) { look in
      let (onLeft, onRight) = (left.show(look), right.show(look))
      // The versions of both rise, so their sum changes when one does.
      return Shown(
        Joint(left: onLeft, right: onRight),
        version: onLeft.version &+ onRight.version,
        at: max(onLeft.instant, onRight.instant)
      )
    }
  }
}
