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
/// A reader of a combination of these cells sees all of these writes or none. The observers of each cell see one
/// update. The body runs without a lock, and may name the cells in any order.
public struct BindingTransaction: ~Copyable {
  @usableFromInline var log: TransactionLog

  @inlinable
  init(in buffer: UnsafeMutableRawPointer) {
    unsafe log = TransactionLog(in: buffer)
  }

  /// The value of a cell, as this transaction has read or written it.
  @inlinable
  public subscript<Value>(cell: BindableActor<Value>) -> Value {
    mutating get {
      unsafe log.entry(in: cell.cell).pointee.value
    }
    _modify {
      let entry = unsafe log.entry(in: cell.cell)
      unsafe entry.pointee.base.isWritten = true
      let second = unsafe ThreadSanitizer.secondCopy(of: entry.pointee.value)
      defer { ThreadSanitizer.release(second) }
      yield unsafe &entry.pointee.value
    }
  }

  /// The value of a collection's cell, as this transaction has read or written it.
  @inlinable
  public subscript<Owner: BindableCell>(cell: Owner) -> Owner.Value {
    mutating get {
      unsafe log.entry(in: cell.cursor.cell).pointee.value
    }
    _modify {
      let entry = unsafe log.entry(in: cell.cursor.cell)
      unsafe entry.pointee.base.isWritten = true
      let second = unsafe ThreadSanitizer.secondCopy(of: entry.pointee.value)
      defer { ThreadSanitizer.release(second) }
      yield unsafe &entry.pointee.value
    }
  }

  /// Runs `body`, and publishes its writes if no other writer has changed what `body` read. Otherwise runs `body`
  /// again, on the values that are current then.
  ///
  /// A run whose result is discarded may have read one cell before a change and another cell after that change. So
  /// `body` should not trap if values do not fit together, and should have no side effects.
  ///
  /// If `body` throws, no cell changes. `run` rethrows the error only if all values that `body` has read were current
  /// at one instant. Otherwise `body` runs again.
  ///
  /// `body` must not write to these cells by other means. If one of the cells that `body` writes has finished, no cell
  /// changes.
  ///
  /// - Returns: The result of the run of `body` that took effect.
  @inlinable
  @discardableResult
  public static func run<R, E: Error>(
    _ body: (inout BindingTransaction) throws(E) -> R
  ) throws(E) -> R {
    try unsafe withUnsafeTemporaryAllocation(
      byteCount: TransactionLog.bufferSize,
      alignment: MemoryLayout<AnyTransactionEntry>.alignment
    ) {
      buffer throws(E) in
      try unsafe run(in: buffer.baseAddress!, body)
    }
  }

  @inlinable
  @inline(__always)
  static func run<R, E: Error>(
    in buffer: UnsafeMutableRawPointer,
    _ body: (inout BindingTransaction) throws(E) -> R
  ) throws(E) -> R {
    var transaction = unsafe BindingTransaction(in: buffer)
    while true {
      let result: R
      do throws(E) {
        result = try body(&transaction)
      } catch {
        transaction.log.discardWrites()
        if unsafe transaction.log.publish(from: buffer) { throw error }
        continue
      }
      if unsafe transaction.log.publish(from: buffer) { return result }
    }
  }
}

// A transaction is lent to one run of a body.
@available(*, unavailable)
extension BindingTransaction: Sendable {}
