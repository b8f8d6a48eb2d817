/// The position of a junction in one of the cells that it follows.
///
/// Without history there is no position. With history the input has a position in the cell's log. `noteCutWhileLocked`
/// notes how far the cell has come at one instant. `advanceWhileLocked` then moves the position up to that version, one
/// update at a time, without the lock of the followed cell.
// @unchecked: the lock of the joint cell guards the variables. The lock of the followed cell also guards what the input
// uses of that cell. So the variables need no check of overlapping accesses.
@usableFromInline
package class AnyJunctionInput: @unchecked Sendable {
  @usableFromInline final let cell: AnyCell
  /// Whether another input of the junction reads the same cell, and counts the versions of that cell.
  @usableFromInline final let isRepeated: Bool
  /// Whether the cell must have ended when the joint cell ends. Only the initializer of the junction changes this. A
  /// property of the input and not a list in the junction, because it takes no memory here.
  final var mustEnd = true

  // With history: the chunk with the slot of version `seen`. The junction shows the value in that slot, so the input
  // passes the slot only when it moves on.
  @exclusivity(unchecked) @usableFromInline final var chunk: AnyLogChunk?
  @exclusivity(unchecked) @usableFromInline final var seen: UInt64 = 0
  // As in `ReadPosition`.
  @exclusivity(unchecked) @usableFromInline final var weight: UInt32 = 1
  private(set) final var cut: UInt64 = 0

  /// An operation of the subclass, which knows the type of the value.
  @usableFromInline
  enum ErasedOperation: Sendable {
    case beginHistory
    case endHistory
  }

  @usableFromInline typealias Perform =
    @Sendable (AnyJunctionInput, ErasedOperation, inout PassedHistory) -> Void
  // A stored function, because the compiler does not specialize a call through the method table of a generic class.
  private final let performWhileLocked: Perform

  @usableFromInline
  init(_ cell: AnyCell, isRepeated: Bool, performWhileLocked: @escaping Perform) {
    self.cell = cell
    self.isRepeated = isRepeated
    self.performWhileLocked = performWhileLocked
  }

  // The caller of each function whose name ends in `WhileLocked` also holds the lock of the followed cell.
  // `advanceWhileLocked`, `moveToNextChunkWhileLocked` and `unreadCountWhileLocked` are the exceptions.

  /// Begins to give each update of the cell an instant.
  final func startOrderingWhileLocked() {
    cell.startOrderingWhileLocked()
  }

  /// Ends what `startOrderingWhileLocked` began.
  final func stopOrderingWhileLocked() {
    cell.stopOrderingWhileLocked()
  }

  /// Takes a position at the current version. The junction reads each update after that version.
  final func beginHistoryWhileLocked() {
    cut = cell.rosterWhileLocked.version
    unsafe seen = cut
    var passed = PassedHistory()
    performWhileLocked(self, .beginHistory, &passed)
  }

  /// Gives up the position, and adds what it held to `passed`.
  final func endHistoryWhileLocked(_ passed: inout PassedHistory) {
    performWhileLocked(self, .endHistory, &passed)
  }

  /// Notes how far the cell has come.
  final func noteCutWhileLocked() {
    cut = cell.rosterWhileLocked.version
  }

  /// Notes that the cell has come to `version`, or further.
  fileprivate final func noteCutWhileLocked(_ version: UInt64) {
    cut = version
  }

  /// With history: the number of updates of the cell that the junction has not read. Nil without history. The cell may be
  /// written meanwhile.
  final var unreadCountWhileLocked: UInt64? {
    unsafe chunk == nil ? nil : cell.watermark.version &- seen
  }

  /// The instant of the next update up to the cut; nil if there is no such update.
  final var nextInstant: LogicalInstant? {
    guard unsafe seen != cut, let chunk = unsafe borrowedChunk else { return nil }
    return unsafe chunk._withUnsafeGuaranteedRef { unsafe $0.instantInLog(of: seen &+ 1) }
  }

  // The chunk, without a counted reference: the input holds it until its position moves to another chunk.
  private final var borrowedChunk: Unmanaged<AnyLogChunk>? { unsafe chunk.map { unsafe .passUnretained($0) } }

  /// Moves on to the update of `instant`, if this cell has one. Adds what the input leaves behind to `passed`. Returns
  /// whether the input has moved on.
  @discardableResult
  final func advanceWhileLocked(through instant: LogicalInstant, _ passed: inout PassedHistory) -> Bool {
    guard nextInstant == instant, let chunk = unsafe borrowedChunk else { return false }
    let staysInChunk = unsafe chunk._withUnsafeGuaranteedRef { chunk in
      if unsafe chunk.passed(seen, &weight, isNewest: false) { unsafe passed.add(seen, in: chunk) }
      return unsafe chunk.holds(seen &+ 1)
    }
    unsafe seen &+= 1
    if !staysInChunk { moveToNextChunkWhileLocked(&passed) }
    return true
  }

  private final func moveToNextChunkWhileLocked(_ passed: inout PassedHistory) {
    guard let former = unsafe chunk else { return }
    unsafe chunk = unsafe former.chunk(with: seen)
    // This may be the last reference, and no chunk is released under a lock.
    passed.add(former)
  }
}

extension AnyJunctionInput {
  /// Moves on to the next update, if it took effect at `instant`. The caller has had the lock of the cell, or of another
  /// cell of the same transaction, since that update. Adds what the input leaves behind to `passed`.
  final func advanceToNextWhileLocked(at instant: LogicalInstant, _ passed: inout PassedHistory) {
    unsafe noteCutWhileLocked(seen &+ 1)
    advanceWhileLocked(through: instant, &passed)
  }
}

/// The position of a junction in a cell of `Value`.
@usableFromInline
final class JunctionInput<Value: Sendable>: AnyJunctionInput, @unchecked Sendable {
  // With history: the position that the input has taken in the cell. `chunk`, `seen` and `weight` say where it is.
  @exclusivity(unchecked) @usableFromInline var position: ReadPosition<Value>

  @inlinable
  init(in cell: Cell<Value>, isRepeated: Bool) {
    unsafe position = ReadPosition()
    super.init(cell, isRepeated: isRepeated) { input, operation, passed in
      let input = unsafe unsafeDowncast(input, to: JunctionInput<Value>.self)
      switch operation {
      case .beginHistory: input.takePositionWhileLocked()
      case .endHistory: input.leavePositionWhileLocked(&passed)
      }
    }
  }

  @inlinable var typedCell: Cell<Value> { unsafe unsafeDowncast(cell, to: Cell<Value>.self) }

  @inlinable
  func takePositionWhileLocked() {
    unsafe position = typedCell.stateWhileLocked.joined(depth: .max, at: seen)
    unsafe chunk = position.chunk.take()
    unsafe weight = position.weight
    typedCell.stateWhileLocked.orderedReaderJoined()
  }

  @inlinable
  func leavePositionWhileLocked(_ passed: inout PassedHistory) {
    typedCell.stateWhileLocked.orderedReaderLeft()
    guard let chunk = unsafe chunk.take() else { return }
    passed.add(chunk)
    // The input has not passed the slot that the junction shows.
    unsafe position.seen = seen &- 1
    unsafe position.weight = weight
    unsafe position.chunk = unsafeDowncast(chunk, to: LogChunk<Value>.self)
    defer { unsafe position.chunk = nil }
    let cell = typedCell
    let evicted = unsafe cell.stateWhileLocked.left(&position, at: cell.rosterWhileLocked.version, of: cell)
    if case .departure(let departure) = evicted { passed.add(departure) }
  }

  @inlinable
  func snapshot(at time: SnapshotTime, former: Snapshot<Value>? = nil) -> Snapshot<Value> {
    switch time {
    case .writtenSide(let written) where written !== cell:
      guard let former else { preconditionFailure("a side that was not written has no former snapshot") }
      return former
    case .now, .writtenSide:
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      return Snapshot(
        cell.stateWhileLocked.value,
        version: cell.rosterWhileLocked.version,
        at: cell.stateWhileLocked.newest,
        isRepeated: isRepeated
      )
    case .reached:
      guard let chunk = unsafe chunk else {
        preconditionFailure("a junction without history was asked for it")
      }
      return unsafe Snapshot(
        unsafeDowncast(chunk, to: LogChunk<Value>.self).value(of: seen),
        version: seen,
        at: chunk.instant(of: seen),
        isRepeated: isRepeated
      )
    }
  }
}
