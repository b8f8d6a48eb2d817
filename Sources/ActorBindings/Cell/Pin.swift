/// The place of a stream that no loop iterates yet. It counts as a reader until the first iterator takes it over.
// @unchecked: `place` is guarded by the cell's lock.
@usableFromInline
final class Pin<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let cell: Cell<Value>
  // Guarded by the cell's lock; nil once an iterator has taken it over.
  @usableFromInline var place: Place<Value>?

  @inlinable
  init(_ cell: Cell<Value>, depth: UInt32) {
    self.cell = cell
    place = cell.locked(for: .joining(depth: depth)) { state, roster in
      roster.readers += 1
      return state.joined(depth: depth, at: roster.version, isJoint: cell.isJoint)
    }
  }

  @inlinable
  deinit {
    guard var place else { return }
    cell.endReading(&place)
  }

  /// Takes the place over; nil if another iterator has it already. Under the cell's lock.
  @inlinable
  func take() -> Place<Value>? {
    place.take()
  }
}

extension Cell {
  /// Begins reading: at the pinned place, which counts as a reader already, or else before the current value.
  @inlinable
  func beginReading(depth: UInt32, pin: Pin<Value>?) -> Place<Value> {
    locked(for: .joining(depth: depth)) { state, roster in
      if let place = pin?.take() { return place }
      roster.readers += 1
      return state.joined(depth: depth, at: roster.version, isJoint: isJoint)
    }
  }

  /// Ends reading: the reader has come to its end, or another reader continues for it.
  @usableFromInline
  func endReading(_ place: inout Place<Value>) {
    let spill = locked(for: .leaving) { state, roster in
      roster.readers -= 1
      return state.left(&place)
    }
    // After the lock, this releases what only this reader still held.
    place.node = nil
    _ = consume spill
  }
}
