extension BindableActor {
  /// Keeps two cells equal, beginning with the value of this cell.
  ///
  /// When this method returns, `other` has this cell's value. From then on, soon after a write to one cell, the binding
  /// sends the newest value of that cell to the other cell. If writers send to both cells at once, both cells keep the
  /// later value. If one transaction has written both cells, both keep the value of this cell. The binding does not send
  /// back a value that it has written itself.
  ///
  /// The binding ends when one of the cells is deallocated. If one cell has finished, the binding ends at the next
  /// write to the other cell.
  ///
  /// If `Value` is Equatable, the binding writes nothing when both cells have equal values, at the beginning or later.
  /// So bindings that form a circle stop writing too, with the exceptions in <doc:Gotchas>.
  ///
  /// - Parameters:
  ///   - other: The other cell. The binding keeps neither cell alive.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before the cells are deallocated.
  @discardableResult
  public nonisolated func bindTwoWay(
    to other: BindableActor<Value>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    bindTwoWay(to: other, transform: { $0 }, reverse: { $0 }, fileID: fileID, line: line)
  }

  /// Keeps two cells equal up to a conversion, beginning with the value of this cell.
  ///
  /// If the values are Equatable, the binding does not write a converted value that equals the value of the other cell.
  ///
  /// - Parameters:
  ///   - other: The other cell. The binding keeps neither cell alive.
  ///   - transform: Converts a value of this cell to a value of `other`. It runs in this call the first time. Later it
  ///     runs on this cell's isolation, as `reverse` always does.
  ///   - reverse: Converts a value of `other` to a value of this cell.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before the cells are deallocated.
  @discardableResult
  public nonisolated func bindTwoWay<Other>(
    to other: BindableActor<Other>,
    transform: @escaping @Sendable (Value) -> Other,
    reverse: @escaping @Sendable (Other) -> Value,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    bindTwoWay(
      to: other,
      transform: transform,
      reverse: reverse,
      onFailure: { _ in },
      fileID: fileID,
      line: line
    )
  }

  /// Keeps two cells equal up to a conversion that may fail, beginning with the value of this cell.
  ///
  /// ```swift
  /// port.bindTwoWay(
  ///   to: field,
  ///   transform: String.init,
  ///   reverse: { try Port($0) },
  ///   onFailure: problem.send
  /// )
  /// ```
  ///
  /// If a conversion of a value fails, the other cell stays as it is until one of the cells changes again. The binding
  /// calls `onFailure` for each such value. It does not call `onFailure` when the conversion of a later value succeeds.
  /// If the values are Equatable, the binding does not write a converted value that equals the value of the other cell.
  ///
  /// - Parameters:
  ///   - other: The other cell. The binding keeps neither cell alive.
  ///   - transform: Converts a value of this cell to a value of `other`. Like `onFailure`, it runs in this call the
  ///     first time. Later both run on this cell's isolation, as `reverse` always does.
  ///   - reverse: Converts a value of `other` to a value of this cell.
  ///   - onFailure: Receives each error that `transform` or `reverse` throws.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before the cells are deallocated.
  @discardableResult
  public nonisolated func bindTwoWay<Other>(
    to other: BindableActor<Other>,
    transform: @escaping @Sendable (Value) throws -> Other,
    reverse: @escaping @Sendable (Other) throws -> Value,
    onFailure: @escaping @Sendable (any Error) -> Void,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    var cursor = CellCursor(
      cell: Cell(joining: self.cursor, other.cursor, for: "bindTwoWay", isOrdered: true)
    )
    // The joint cell is ordered: once the position is taken, each write to either cell has an instant, which tells
    // which of two writes came later.
    cursor.begin(depth: Backlog.latest.depth, reserved: nil)
    let binding = TwoWayBinding(self, other, transform: transform, reverse: reverse, onFailure: onFailure)
    let observation = CursorObservation(
      cursor,
      binding,
      endsWithToken: false,
      isConfined: false,
      site: CallSite(fileID, line)
    )
    cursor.cell.start(observation, depth: nil, on: DeliveryContext(isolation: self))
    return BindingToken(observation)
  }
}

/// Keeps two cells equal: it receives what both cells hold at one instant, and knows which versions it has made equal.
///
/// If one cell has a version that the binding has not made equal, the binding sends the value of that cell to the other
/// cell. If both cells have such a version, the binding sends the value that was written later. It publishes that value
/// only if the other cell still has the version that the binding saw. Otherwise the binding writes nothing: it will
/// receive the newer value of the other cell.
///
/// If the other cell holds an equal value, the binding publishes nothing, so that bindings in a circle stop writing. It
/// only notes both versions. It saw these versions at one instant, so a later write to either cell has a version that
/// is not noted.
// @unchecked: only the binding's observation uses this object, one call at a time.
private final class TwoWayBinding<Left: Sendable, Right: Sendable>: Recipient, @unchecked Sendable {
  private weak let left: BindableActor<Left>?
  private weak let right: BindableActor<Right>?
  private let transform: @Sendable (Left) throws -> Right
  private let reverse: @Sendable (Right) throws -> Left
  private let onFailure: @Sendable (any Error) -> Void

  // The versions that the binding has made equal, or failed to make equal.
  private var equal: (left: UInt64, right: UInt64)

  /// Makes the right value equal to the left value.
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
    // Reads both versions at one instant, before the conversion. So if a writer writes during the conversion, the
    // binding does not note the new version as equal.
    let begin = CellGroup([left.cell, right.cell]).locked { Beginning(whileLocked: left.cell, right.cell) }
    do {
      let value = try transform(begin.left.value)
      equal = (begin.left.version, Self.overwrite(right.cell, with: value))
    } catch {
      equal = (begin.left.version, begin.versionOnRight)
      onFailure(error)
    }
  }

  var isGone: Bool { left == nil || right == nil }

  /// What both cells hold at the instant at which the binding begins.
  private struct Beginning: Sendable {
    let left: Draft<Left>
    let versionOnRight: UInt64

    init(whileLocked left: Cell<Left>, _ right: Cell<Right>) {
      self.left = left.stateWhileLocked.draft(left.rosterWhileLocked)
      versionOnRight = right.rosterWhileLocked.version
    }
  }

  func deliver(_ joint: JointValue<Left, Right>) -> Bool {
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
    return !left.cell.hasEnded(at: onLeft) && !right.cell.hasEnded(at: onRight)
  }

  // Writes `value`, if the cell still has `version`. Returns false if another writer got in first.
  private func replace<Value>(_ version: UInt64, of cell: Cell<Value>, with value: Value) -> Bool {
    var draft = Draft(value: value, version: version)
    var contention = Contention()
    return cell.publish(&draft, &contention) != .outrun
  }

  // Writes `value`, even if other writers get in between. Returns the version that holds `value` or an equal value. If
  // the cell has finished, returns its last version.
  private static func overwrite(_ cell: Cell<Right>, with value: Right) -> UInt64 {
    var draft = cell.draft
    var contention = Contention()
    while true {
      if areEqual(value, draft.value) {
        cell.endContention(contention)
        return draft.version
      }
      draft.value = value
      switch cell.publish(&draft, &contention) {
      case .published: return draft.version &+ 1
      // The cell has finished, and keeps its value.
      case .ignored: return draft.version
      case .outrun: continue
      }
    }
  }
}

extension AnyCell {
  /// Whether the cell has ended, and has no later version than `version`. A binding that ended with its cell before that
  /// would lose the last value.
  final func hasEnded(at version: UInt64) -> Bool {
    let last = watermark
    return last.isFinished && last.version <= version
  }
}

/// Returns whether two values are equal by `==`. Returns false if their type is not Equatable, or is Equatable only on
/// another isolation.
///
/// This function looks for `==` at run time. A generic function that binds would never choose an overload for Equatable
/// values. Such an overload would also refuse a type that is Equatable only on the main actor.
private func areEqual<Value>(_ one: Value, _ other: Value) -> Bool {
  // This casts a value in each call: a cast of the type itself would not check the isolation.
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
