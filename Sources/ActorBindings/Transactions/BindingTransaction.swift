/// Reads and writes of several cells that take effect at one instant, or not at all.
///
/// ```swift
/// let isPaid = BindingTransaction.run { transaction in
///   guard transaction[alice] >= 10 else { return false }
///   transaction[alice] -= 10
///   transaction[bob] += 10
///   return true
/// }
/// ```
///
/// Who reads a combination of these cells sees all of it or nothing; the observers of each cell see one update.
/// No lock is held while the body runs, and in what order it names the cells does not matter.
public struct BindingTransaction: ~Copyable {
  @usableFromInline var stakes: Stakes

  @inlinable
  init(in room: UnsafeMutableRawPointer) {
    unsafe stakes = Stakes(in: room)
  }

  /// The value of a cell, as this transaction has read or written it.
  @inlinable
  public subscript<Value>(cell: BindableActor<Value>) -> Value {
    mutating get {
      unsafe stakes.stake(in: cell.cell).pointee.value
    }
    _modify {
      let stake = unsafe stakes.stake(in: cell.cell)
      unsafe stake.pointee.base.isWritten = true
      let second = unsafe ThreadSanitizer.secondCopy(of: stake.pointee.value)
      defer { ThreadSanitizer.release(second) }
      yield unsafe &stake.pointee.value
    }
  }

  /// The value of a collection's cell, as this transaction has read or written it.
  @inlinable
  public subscript<Owner: BindableCell>(cell: Owner) -> Owner.Value {
    mutating get {
      unsafe stakes.stake(in: cell.cursor.cell).pointee.value
    }
    _modify {
      let stake = unsafe stakes.stake(in: cell.cursor.cell)
      unsafe stake.pointee.base.isWritten = true
      let second = unsafe ThreadSanitizer.secondCopy(of: stake.pointee.value)
      defer { ThreadSanitizer.release(second) }
      yield unsafe &stake.pointee.value
    }
  }

  /// Runs `body`, and publishes what it wrote if nothing that it has read was changed meanwhile; otherwise it runs it
  /// again, on what is current then.
  ///
  /// A run that comes to nothing may have read one cell before and another one after a change. So `body` should not trap
  /// on what does not fit together, and should have no other effect. If it throws, nothing has happened; and what
  /// it has read was there at one instant then too, or it is run again. It must not write to these cells by other means.
  /// If one of the cells that it writes has finished, none is changed.
  ///
  /// - Returns: What the run of `body` returned that took effect.
  @inlinable
  @discardableResult
  public static func run<R, E: Error>(
    _ body: (inout BindingTransaction) throws(E) -> R
  ) throws(E) -> R {
    try unsafe withUnsafeTemporaryAllocation(
      byteCount: Stakes.roomSize,
      alignment: MemoryLayout<AnyStake>.alignment
    ) {
      room throws(E) in
      try unsafe run(in: room.baseAddress!, body)
    }
  }

  @inlinable
  @inline(__always)
  static func run<R, E: Error>(
    in room: UnsafeMutableRawPointer,
    _ body: (inout BindingTransaction) throws(E) -> R
  ) throws(E) -> R {
    var transaction = unsafe BindingTransaction(in: room)
    while true {
      let result: R
      do throws(E) {
        result = try body(&transaction)
      } catch {
        transaction.stakes.discardWrites()
        if unsafe transaction.stakes.publish(from: room) { throw error }
        continue
      }
      if unsafe transaction.stakes.publish(from: room) { return result }
    }
  }
}

// It is lent to one run of a body.
@available(*, unavailable)
extension BindingTransaction: Sendable {}
