// @unchecked: the subclass says what guards its state.
/// The part of a `ReservedPosition` that does not depend on the type of the value.
@_documentation(visibility: internal)
public class AnyReservedPosition: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Whether no iterator has taken the position over.
  var isFree: Bool { preconditionFailure("\(type(of: self)) does not say whether it is free") }

  /// Notes that diagnostics have a record of the position. Returns the version before the position.
  func recorded() -> UInt64 {
    preconditionFailure("\(type(of: self)) does not note its record")
  }
}

/// The position of a stream that no loop iterates yet. It counts as a reader until the first iterator takes it over.
// @unchecked: `position` is guarded by the cell's lock.
@usableFromInline
final class ReservedPosition<Value: Sendable>: AnyReservedPosition, @unchecked Sendable {
  @usableFromInline let cell: Cell<Value>
  // Guarded by the cell's lock; nil once an iterator has taken it over.
  @usableFromInline var position: ReadPosition<Value>?
  // Whether diagnostics have a record of the position. Set before the position is shared.
  @usableFromInline var isRecorded = false

  @inlinable
  init(_ cell: Cell<Value>, depth: UInt32) {
    self.cell = cell
    position = cell.read(for: .joining(depth: depth)) { state, roster in
      roster.readerJoined()
      return state.joined(depth: depth, at: roster.version, isJoint: cell.isJoint)
    }
    super.init()
  }

  @inlinable
  deinit {
    if isRecorded { forgetRecord() }
    guard var position else { return }
    cell.endReading(&position)
  }

  override var isFree: Bool { cell.locked { _, _ in position != nil } }

  override func recorded() -> UInt64 {
    isRecorded = true
    return cell.locked { position?.seen ?? $1.version }
  }

  /// Takes over the position. Returns nil if another iterator has it already.
  @inlinable
  func takeWhileLocked() -> ReadPosition<Value>? {
    position.take()
  }
}

extension Cell {
  /// Begins reading: at the reserved position if it is still free, otherwise before the current value. A reserved
  /// position counts as a reader already, so it is not counted again.
  @inlinable
  func beginReading(depth: UInt32, reserved: ReservedPosition<Value>?) -> ReadPosition<Value> {
    read(for: .joining(depth: depth)) { state, roster in
      if let position = reserved?.takeWhileLocked() { return position }
      roster.readerJoined()
      return state.joined(depth: depth, at: roster.version, isJoint: isJoint)
    }
  }

  /// Ends reading: the reader has come to its end, or another reader continues for it.
  @usableFromInline
  func endReading(_ position: inout ReadPosition<Value>) {
    let evicted = read(for: .leaving) { state, roster in
      roster.readersLeft()
      return state.left(&position, at: roster.version, of: self)
    }
    // After the lock, these two lines release what only this reader still held.
    position.chunk = nil
    _ = consume evicted
  }
}
