extension BindableActor {
  /// Keeps two cells equal, beginning with the value of this one.
  ///
  /// When this returns, `other` has this cell's value. From then on whatever is sent to one is sent to the other, soon
  /// after; of two values that were sent to both at once the later one stays, in both. What came of the binding
  /// itself does not come back. It ends when one of the cells is gone; when one has finished, as soon as the other is
  /// written.
  ///
  /// If `Value` is Equatable, neither is written when both have equal values: not at the beginning, and not later. So
  /// several bindings come to rest in a circle too, but for what <doc:Gotchas> says.
  ///
  /// - Parameter other: Neither cell is kept alive.
  /// - Returns: A token to end the binding earlier than the cells.
  @discardableResult
  public nonisolated func bindTwoWay(to other: BindableActor<Value>) -> BindingToken {
    bindTwoWay(to: other, transform: { $0 }, reverse: { $0 })
  }

  /// Keeps two cells equal but for a conversion, beginning with the value of this one.
  ///
  /// Where a converted value equals what the other cell has, it is not written: if these are Equatable.
  ///
  /// - Parameters:
  ///   - other: Neither cell is kept alive.
  ///   - transform: Makes a value of `other` of one of this cell. Like `reverse` it runs on this cell's isolation, but
  ///     for the first time.
  ///   - reverse: Makes a value of this cell of one of `other`.
  /// - Returns: A token to end the binding earlier than the cells.
  @discardableResult
  public nonisolated func bindTwoWay<Other>(
    to other: BindableActor<Other>,
    transform: @escaping @Sendable (Value) -> Other,
    reverse: @escaping @Sendable (Other) -> Value
  ) -> BindingToken {
    bindTwoWay(to: other, transform: transform, reverse: reverse, onFailure: { _ in })
  }

  /// Keeps two cells equal but for a conversion that may fail, beginning with the value of this one.
  ///
  /// ```swift
  /// port.bindTwoWay(to: field, transform: String.init, reverse: { try Port($0) }, onFailure: problem.send)
  /// ```
  ///
  /// Where a value cannot be converted the other cell stays as it is, until one of them changes again. `onFailure` is
  /// called for each such value, and nothing is when a later one can be converted. The other cell stays as it is too
  /// where the converted value equals its own, if these are Equatable.
  ///
  /// - Parameters:
  ///   - other: Neither cell is kept alive.
  ///   - transform: Makes a value of `other` of one of this cell. Like `reverse` and `onFailure` it runs on this cell's
  ///     isolation, but for the first time.
  ///   - reverse: Makes a value of this cell of one of `other`.
  ///   - onFailure: Is told what either conversion threw.
  /// - Returns: A token to end the binding earlier than the cells.
  @discardableResult
  public nonisolated func bindTwoWay<Other>(
    to other: BindableActor<Other>,
    transform: @escaping @Sendable (Value) throws -> Other,
    reverse: @escaping @Sendable (Other) throws -> Value,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) -> BindingToken {
    let binding = TwoWayBinding(self, other, transform: transform, reverse: reverse, onFailure: onFailure)
    var cursor = CellCursor(cell: Cell(joining: cell, other.cell, isOrdered: true))
    // From here on it is known which of two writes came later.
    cursor.place = cursor.cell.beginReading(depth: Backlog.latest.depth, pin: nil)
    binding.begin(self, other)
    let observation = CursorObservation(cursor, binding, endsWithToken: false, isConfined: false)
    cursor.cell.begin(observation, depth: nil, on: DeliveryContext(isolation: self))
    return BindingToken(observation)
  }
}

/// Keeps two cells equal: it is handed what both hold at one instant, and knows which versions it has made equal.
///
/// If one of them has another version now, its value goes to the other; if both have, that of the later one does. It is
/// published only if the other cell is still as it was seen: if not, what it holds now is on its way here. And it is
/// published only if the other cell does not show an equal one, so that bindings in a circle come to rest: both were
/// seen at one instant, so whatever is written after it, to either, has another version than those that are noted.
// @unchecked: the observation's own, one call at a time.
private final class TwoWayBinding<Left: Sendable, Right: Sendable>: Recipient, @unchecked Sendable {
  private weak let left: BindableActor<Left>?
  private weak let right: BindableActor<Right>?
  private let transform: @Sendable (Left) throws -> Right
  private let reverse: @Sendable (Right) throws -> Left
  private let onFailure: @Sendable (any Error) -> Void

  // The versions that were made equal, or could not be.
  private var equal: (left: UInt64, right: UInt64) = (0, 0)

  init(
    _ left: BindableActor<Left>,
    _ right: BindableActor<Right>,
    transform: @escaping @Sendable (Left) throws -> Right,
    reverse: @escaping @Sendable (Right) throws -> Left,
    onFailure: @escaping @Sendable (any Error) -> Void
  ) {
    self.left = left
    self.right = right
    self.transform = transform
    self.reverse = reverse
    self.onFailure = onFailure
  }

  var isGone: Bool { left == nil || right == nil }

  /// Makes the right value equal to the left one, for the caller that makes the binding.
  func begin(_ left: BindableActor<Left>, _ right: BindableActor<Right>) {
    // Both at one instant, and before the conversion: what is written to either cell while it runs is not noted as equal.
    let (source, versionOnRight) = CellGroup([left.cell, right.cell]).locked {
      unsafe (left.cell.storedState.draft(left.cell.storedRoster), right.cell.storedRoster.version)
    }
    do {
      let value = try transform(source.value)
      equal = (source.version, overwrite(right.cell, with: value))
    } catch {
      equal = (source.version, versionOnRight)
      onFailure(error)
    }
  }

  func receive(_ joint: Joint<Left, Right>) -> Bool {
    guard let left, let right else { return false }
    guard let ofLeft = joint.left.value, let ofRight = joint.right.value else { return true }
    let isNewOnLeft = joint.left.version != equal.left
    let isNewOnRight = joint.right.version != equal.right
    var (onLeft, onRight) = (joint.left.version, joint.right.version)
    do {
      if isNewOnRight, !isNewOnLeft || joint.left.instant < joint.right.instant {
        let value = try reverse(ofRight)
        if !areEqual(value, ofLeft) {
          guard replace(onLeft, of: left.cell, with: value) else { return true }
          onLeft &+= 1
        }
      } else if isNewOnLeft {
        let value = try transform(ofLeft)
        if !areEqual(value, ofRight) {
          guard replace(onRight, of: right.cell, with: value) else { return true }
          onRight &+= 1
        }
      }
    } catch {
      onFailure(error)
    }
    equal = (onLeft, onRight)
    return !left.isFinished && !right.isFinished
  }

  // False if another writer got in first.
  private func replace<Value>(_ version: UInt64, of cell: Cell<Value>, with value: Value) -> Bool {
    var draft = Draft(value: value, version: version)
    var contention = Contention()
    return cell.publish(&draft, &contention) != .outrun
  }

  // Whoever else writes. Returns the version that holds the value, or an equal one, or that of the end.
  private func overwrite(_ cell: Cell<Right>, with value: Right) -> UInt64 {
    var draft = cell.locked { $0.draft($1) }
    var contention = Contention()
    while true {
      if areEqual(value, draft.value) {
        contention.end(in: cell)
        return draft.version
      }
      draft.value = value
      switch cell.publish(&draft, &contention) {
      case .published: return draft.version &+ 1
      // It has finished, and keeps what it holds.
      case .ignored: return draft.version
      case .outrun: continue
      }
    }
  }
}

/// Whether two values are equal, as far as this can be known here: not if their type is not Equatable, or if it is that
/// for an isolation which this is not.
///
/// It is asked at run time, not by overloads: these would leave out who binds in a generic function, and refuse a type
/// that is Equatable on the main actor alone.
private func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
  // A value is cast, each time: a cast of the type itself would not ask for the isolation.
  (Comparison<Value>() as? any Comparing<Value>)?.areEqual(one, other) ?? false
}

private protocol Comparing<Value> {
  associatedtype Value
  func areEqual(_ one: Value, _ other: Value) -> Bool
}

private struct Comparison<Value> {}

extension Comparison: Comparing where Value: Equatable {
  func areEqual(_ one: Value, _ other: Value) -> Bool { one == other }
}
