/// How far the last move of a cursor went, for a cursor that makes several elements of an update.
///
/// Such a cursor asks for the next update when it has returned all elements of the last one. So when it has moved on to
/// another version, it has completed the version before. This is a distance and not a version, because it takes no memory
/// beside the other variables of these cursors.
@usableFromInline
package struct LastMove: Sendable {
  // Zero before the first move.
  @usableFromInline var length: UInt32 = 0

  @inlinable
  package init() {}

  /// The cursor has asked for the next update. Before that it had seen `former`, and now it has seen `seen`.
  @inlinable
  package mutating func moved(from former: UInt64, to seen: UInt64) {
    if seen != former { length = UInt32(clamping: seen &- former) }
  }

  /// The newest version of which the cursor has returned all elements, if it has seen `seen`; 0 if that is not known. A
  /// joint cell has at least version 1 when a reader begins, so no task waits for the version 0.
  @inlinable
  package func completed(at seen: UInt64) -> UInt64 {
    length == 0 || length == .max ? 0 : seen &- UInt64(length)
  }
}

extension BindingCursor {
  /// Returns the next element of this cursor, of which the caller makes several elements, and notes the move.
  @inlinable
  mutating func next(in pass: PassSnapshot<Origin>?, noting move: inout LastMove) -> Pull<Element> {
    let former = root.seen
    let pull = next(in: pass)
    move.moved(from: former, to: root.seen)
    return pull
  }
}
