/// The shell around `CellState`: takes the lock, asks the machine, lets the lock go, acts.
///
/// A cell outlives its `BindableActor` while readers still have something to see. It is a class with a lock
/// beside its state, not a `Mutex` of the state, because the latter does not specialize in client modules.
// @unchecked: `storedState` is guarded by `lock`.
@usableFromInline
package final class Cell<Value: Sendable>: AnyCell, @unchecked Sendable {
  // Guarded by `lock`, as the roster is.
  @exclusivity(unchecked) @usableFromInline var storedState: CellState<Value>

  @inlinable
  package init(_ value: Value, inflow: Inflow? = nil) {
    unsafe storedState = CellState(value)
    super.init(inflow: inflow) { cell, operation in
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      switch operation {
      case .copyValue(let round):
        unsafe unsafeDowncast(round, to: Round<Value>.self).value = cell.storedState.value
      case .releaseValue(let round):
        unsafe unsafeDowncast(round, to: Round<Value>.self).value = nil
      case .exchange(let address, let exchange):
        let value = unsafe address.assumingMemoryBound(to: Value.self)
        unsafe cell.exchangeWhileLocked(&value.pointee, &exchange.pointee)
      case .destroy(let address):
        unsafe address.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      }
    }
  }

  package override func makeRound() -> AnyRound { Round<Value>() }

  /// One step of the machine. Whatever it returns is acted upon, or released, after the lock.
  @inlinable
  @inline(__always)
  package func locked<Result: Sendable>(
    _ step: (inout CellState<Value>, inout Roster) -> Result
  ) -> Result {
    lock.withLock { unsafe step(&storedState, &storedRoster) }
  }

  /// One step of the machine, for somebody who reads.
  @inlinable
  @inline(__always)
  package func locked<Result: Sendable>(
    for purpose: Inflow.Purpose,
    _ step: (inout CellState<Value>, inout Roster) -> Result
  ) -> Result {
    locked(for: purpose) { roster in unsafe step(&storedState, &roster) }
  }

  /// One step of a writer.
  @inlinable
  @inline(__always)
  func written<Result: Sendable>(
    _ step: (inout CellState<Value>, inout Roster) -> Result
  ) -> Result {
    locked { state, roster in
      defer { publish(roster.horizon) }
      return step(&state, &roster)
    }
  }

  // MARK: Reading

  @inlinable
  package var value: Value {
    locked { state, _ in state.value }
  }

  // MARK: Writing

  /// The old value is released on return, after the lock.
  @inlinable
  package func send(_ new: consuming Value) {
    var value = new
    switch written({ $0.sent(&value, &$1) }) {
    case .published(let woken, _): woken.wake()
    case .ignored: break
    case .deferred(let claim): sendPatiently(value, after: claim)
    }
  }

  @usableFromInline
  func sendPatiently(_ new: consuming Value, after claim: Claim) {
    var value = new
    var contention = Contention()
    contention.deferred(by: claim, in: self)
    while true {
      let writer = contention.writer
      switch written({ $0.sent(&value, by: writer, &$1) }) {
      case .published(let woken, _): return woken.wake()
      case .ignored: return
      case .deferred(let next): contention.deferred(by: next, in: self)
      }
    }
  }

  /// Changes the value in place, under the lock, where there is never a ledger. What is said of the other one holds.
  @inlinable
  @discardableResult
  package func edit<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let result = edit { value, ledger, _ in
      assert(ledger == nil, "an edit was left out of the ledger")
      return body(&value)
    }
    guard let result else { preconditionFailure("an edit that cannot decline has done so") }
    return result
  }

  /// Changes the value in place, under the lock. So `body` must run nobody's code: it moves values about, and hands out
  /// what is to be released after the lock. If the cell is finished it is run on a copy that goes nowhere.
  ///
  /// - Parameter body: Enters what it has changed into the ledger, if there is one; or returns nil, and has changed
  ///   nothing.
  /// - Returns: What `body` has returned.
  @inlinable
  package func edit<Result: Sendable>(
    _ body: (inout Value, Ledger<Value>?, _ version: UInt64) -> Result?
  ) -> Result? {
    switch written({ $0.edited(&$1, body) }) {
    case .published(let woken, _, let result):
      woken.wake()
      return result
    case .declined: return nil
    case .ignored: return onCopy(body)
    case .deferred(let claim):
      var contention = Contention()
      contention.deferred(by: claim, in: self)
      return edit(&contention, body)
    }
  }

  /// Goes on with what others were in the way of.
  @inlinable
  package func edit<Result: Sendable>(
    _ contention: inout Contention,
    _ body: (inout Value, Ledger<Value>?, _ version: UInt64) -> Result?
  ) -> Result? {
    while true {
      let writer = contention.writer
      switch written({ $0.edited(by: writer, &$1, body) }) {
      case .published(let woken, _, let result):
        contention.end(in: self)
        woken.wake()
        return result
      case .declined: return nil
      case .ignored:
        contention.end(in: self)
        return onCopy(body)
      case .deferred(let claim): contention.deferred(by: claim, in: self)
      }
    }
  }

  @usableFromInline
  func onCopy<Result: Sendable>(
    _ body: (inout Value, Ledger<Value>?, _ version: UInt64) -> Result?
  ) -> Result? {
    var (copy, version) = locked { ($0.value, $1.version) }
    return body(&copy, nil, version)
  }

  /// Runs `body` on a copy, without the lock, again and again until no other writer gets in between.
  @inlinable
  package func modify<R, E: Error>(
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    var draft = locked { $0.draft($1) }
    var contention = Contention()
    while true {
      let second = ThreadSanitizer.secondCopy(of: draft.value)
      defer { ThreadSanitizer.release(second) }
      let result: R
      do throws(E) {
        result = try body(&draft.value)
      } catch {
        contention.end(in: self)
        throw error
      }
      if publish(&draft, &contention) != .outrun { return result }
    }
  }

  /// Publishes what `successor` makes of the value, if anything; it is run without the lock, and again when
  /// another writer gets in between. True if an update came of it.
  @inlinable
  package func replace(_ successor: (Value) -> Value?) -> Bool {
    guard var draft = locked({ $1.isFinished ? nil : $0.draft($1) }) else { return false }
    var contention = Contention()
    while true {
      guard let new = successor(draft.value) else {
        contention.end(in: self)
        return false
      }
      draft.value = new
      switch publish(&draft, &contention) {
      case .published: return true
      case .ignored: return false
      case .outrun: continue
      }
    }
  }

  @usableFromInline
  enum PublishOutcome: Sendable {
    case published
    case ignored
    /// Another writer got in between; the draft is a fresh one now.
    case outrun
  }

  @inlinable
  func publish(
    _ draft: inout Draft<Value>,
    _ contention: inout Contention
  ) -> PublishOutcome {
    while true {
      let writer = contention.writer
      switch written({ $0.drafted(&draft, by: writer, &$1) }) {
      case .published(.published(let woken, _)):
        contention.end(in: self)
        woken.wake()
        return .published
      case .published(.ignored):
        contention.end(in: self)
        return .ignored
      case .published(.deferred(let claim)):
        contention.deferred(by: claim, in: self)
      case .outrun(let fresh):
        // This releases the outrun draft, after the lock.
        draft = fresh
        contention.outrun(in: self)
        // What was released may have written to this cell, and outrun the fresh one.
        if contention.hasClaim { draft = locked { $0.draft($1) } }
        return .outrun
      }
    }
  }
}
