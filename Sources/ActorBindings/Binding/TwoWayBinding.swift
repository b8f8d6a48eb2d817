extension BindableActor {
  /// Keeps two cells equal, beginning with the value of this one.
  ///
  /// When this returns, `other` has this cell's value. From then on whatever is sent to one is sent to the other, soon
  /// after; of two values that were sent to both at once the later one stays, in both. What came of the binding
  /// itself does not come back. It ends when one of the cells is gone, or has finished: when the other is written next.
  ///
  /// - Parameter other: Neither cell is kept alive.
  /// - Returns: A token to end the binding earlier than the cells.
  @discardableResult
  public nonisolated func bindTwoWay(to other: BindableActor<Value>) -> BindingToken {
    bindTwoWay(to: other, transform: { $0 }, reverse: { $0 })
  }

  /// Keeps two cells equal but for a conversion, beginning with the value of this one.
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
  /// Where a value cannot be converted the other cell stays as it is, until one of them changes again.
  ///
  /// - Parameters:
  ///   - other: Neither cell is kept alive.
  ///   - transform: Makes a value of `other` of one of this cell. Like `reverse` and `onFailure` it runs on this cell's
  ///     isolation, but for the first time.
  ///   - reverse: Makes a value of this cell of one of `other`.
  ///   - onFailure: Is told what a conversion threw.
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
/// published only if the other cell is still as it was seen: if not, what it holds now is on its way here.
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

  /// Makes the right one equal to the left one, for who makes the binding.
  func begin(_ left: BindableActor<Left>, _ right: BindableActor<Right>) {
    let source = left.cell.locked { $0.draft($1) }
    do {
      let value = try transform(source.value)
      var draft = right.cell.locked { $0.draft($1) }
      var contention = Contention()
      repeat { draft.value = value } while right.cell.publish(&draft, &contention) == .outrun
      equal = (source.version, draft.version &+ 1)
    } catch {
      equal = (source.version, right.version)
      onFailure(error)
    }
  }

  func receive(_ joint: Joint<Left, Right>) -> Bool {
    guard let left, let right else { return false }
    guard let ofLeft = joint.left.value, let ofRight = joint.right.value else { return true }
    let isNewOnLeft = joint.left.version != equal.left
    let isNewOnRight = joint.right.version != equal.right
    do {
      if isNewOnRight, !isNewOnLeft || joint.left.instant < joint.right.instant {
        let value = try reverse(ofRight)
        guard replace(joint.left.version, of: left.cell, with: value) else { return true }
        equal = (joint.left.version &+ 1, joint.right.version)
      } else if isNewOnLeft {
        let value = try transform(ofLeft)
        guard replace(joint.right.version, of: right.cell, with: value) else { return true }
        equal = (joint.left.version, joint.right.version &+ 1)
      }
    } catch {
      equal = (joint.left.version, joint.right.version)
      onFailure(error)
    }
    return !left.isFinished && !right.isFinished
  }

  // False if another writer got in first.
  private func replace<Value>(_ version: UInt64, of cell: Cell<Value>, with value: Value) -> Bool {
    var draft = Draft(value: value, version: version)
    var contention = Contention()
    return cell.publish(&draft, &contention) != .outrun
  }
}
