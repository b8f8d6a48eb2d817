// @unchecked: `storedState` is guarded by `lock`.
/// The shell around `CellState`: takes the lock, asks the state machine, releases the lock, acts.
///
/// A cell outlives its `BindableActor` while readers still have something to see. The lock is stored beside the state:
/// in client modules the compiler does not specialize a `Mutex` that contains the state.
@_documentation(visibility: internal)
public final class Cell<Value: Sendable>: AnyCell, @unchecked Sendable {
  // Guarded by `lock`, as the roster is. Other folders use `stateWhileLocked`.
  @exclusivity(unchecked) @usableFromInline var storedState: CellState<Value>

  @inlinable
  package init(_ value: Value, upstream: Upstream? = nil) {
    unsafe storedState = CellState(value)
    super.init(upstream: upstream) { cell, operation in
      let cell = unsafe unsafeDowncast(cell, to: Cell<Value>.self)
      switch operation {
      case .copyValueWhileLocked(let pass):
        unsafe unsafeDowncast(pass, to: PassSnapshot<Value>.self).value = cell.storedState.value
      case .releaseValue(let pass):
        unsafe unsafeDowncast(pass, to: PassSnapshot<Value>.self).value = nil
      case .exchangeWhileLocked(let address, let exchange):
        let value = unsafe address.assumingMemoryBound(to: Value.self)
        unsafe cell.exchangeWhileLocked(&value.pointee, &exchange.pointee)
      case .destroy(let address):
        unsafe address.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      case .makePassSnapshot(let address):
        unsafe address.pointee = PassSnapshot<Value>()
      case .orderWhileLocked(true): unsafe cell.storedState.orderedReaderJoined()
      case .orderWhileLocked(false): unsafe cell.storedState.orderedReaderLeft()
      }
    }
  }

  package override func windowCountWhileLocked() -> Int { unsafe storedState.window.count }

  package override func unboundedReaderCountWhileLocked() -> Int { unsafe Int(storedState.logReaders) }

  /// The state, for a caller that holds the lock.
  @inlinable
  @inline(__always)
  package var stateWhileLocked: CellState<Value> {
    _read { yield unsafe storedState }
    _modify { yield unsafe &storedState }
  }

  /// Performs one step of the state machine. The caller acts on the result of the step, or releases it, after the lock.
  @inlinable
  @inline(__always)
  package func locked<Result: Sendable>(
    _ step: (inout CellState<Value>, inout Roster) -> Result
  ) -> Result {
    lock.withLock { unsafe step(&storedState, &storedRoster) }
  }

  /// Performs one step of a reader. The upstream may bring the cell up to date first.
  @inlinable
  @inline(__always)
  package func read<Result: Sendable>(
    for purpose: Upstream.Purpose,
    _ step: (inout CellState<Value>, inout Roster) -> Result
  ) -> Result {
    read(for: purpose) { roster in unsafe step(&storedState, &roster) }
  }

  /// Performs one step of a writer, and publishes the watermark just before it releases the lock.
  @inlinable
  @inline(__always)
  func written<Result: Sendable>(
    _ step: (inout CellState<Value>, inout Roster) -> Result
  ) -> Result {
    locked { state, roster in
      defer { publishWhileLocked(roster.watermark) }
      return step(&state, &roster)
    }
  }

  // MARK: Reading

  @inlinable
  package var value: Value {
    locked { state, _ in state.value }
  }

  /// A copy of the value, with its version.
  @inlinable
  package var draft: Draft<Value> {
    @inline(__always) get { locked { $0.draft($1) } }
  }

  /// Returns the result of `property` for the value, without copying the value. `property` runs under the lock, so it
  /// must run no user code.
  @inlinable
  @inline(__always)
  package func read<Property: Sendable>(_ property: (Value) -> Property) -> Property {
    locked { state, _ in property(state.value) }
  }

  // MARK: Writing

  // The problem: writes must reach all readers in the same order, and the cost of a write must not grow with the number
  // of readers. A writer could hand the value to each reader. If the writer did so under the lock, it would run user
  // code there, n times. If it did so after the lock, two writers would race, and a reader might receive the older
  // value last. With a queue for each reader, each write must fill n queues, and the threads that empty a queue race in
  // the same way.
  //
  // So a write to this cell passes no value to a reader. The write makes the value current, gives it the next version
  // and takes the parked readers out of their list. The number of these steps does not depend on the number of readers.
  // When a reader asks for a value, the version that the reader saw last decides which value it receives. Writers wake
  // readers after the lock, so one wake-up may overtake another. This does no harm: a wake-up says only that there is
  // something new.

  /// Makes `new` the value. Releases the old value on return, after the lock.
  @inlinable
  package func send(_ new: consuming Value) {
    var value = new
    switch written({ $0.sent(&value, &$1) }) {
    case .published(let woken, _): woken.wake()
    case .ignored: break
    case .deferred(let claim): sendAfterDeferral(value, after: claim)
    }
  }

  @usableFromInline
  func sendAfterDeferral(_ new: consuming Value, after claim: Claim) {
    var value = new
    var contention = Contention()
    wait(for: claim, &contention)
    while true {
      let writer = contention.writer
      switch written({ $0.sent(&value, by: writer, &$1) }) {
      case .published(let woken, _): return woken.wake()
      case .ignored: return
      case .deferred(let next): wait(for: next, &contention)
      }
    }
  }

  /// Changes the value in place, under the lock, in a cell that never has a change log. See the other `edit` for
  /// what `body` may do.
  @inlinable
  @inline(__always)
  @discardableResult
  package func edit<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let result = edit { value, changeLog, _ in
      assert(changeLog == nil, "an edit was left out of the change log")
      return body(&value)
    }
    guard let result else { preconditionFailure("an edit that cannot decline has done so") }
    return result
  }

  /// Changes the value in place, under the lock. So `body` must run no user code: it only moves values, and returns
  /// what the caller must release after the lock. In a finished cell, `body` runs on a copy, and the copy is discarded.
  ///
  /// - Parameter body: A function that changes the value, and enters the change into the change log if there is one. To
  ///   decline the edit, it changes nothing and returns nil.
  /// - Returns: The result of `body`.
  @inlinable
  @inline(__always)
  package func edit<Result: Sendable>(
    _ body: (inout Value, ChangeLog<Value>?, _ version: UInt64) -> Result?
  ) -> Result? {
    switch written({ $0.edited(&$1, body) }) {
    case .published(let woken, _, let result):
      woken.wake()
      return result
    case .declined: return nil
    case .ignored: return onCopy(body)
    case .deferred(let claim):
      var contention = Contention()
      wait(for: claim, &contention)
      return edit(&contention, body)
    }
  }

  /// Continues an edit that another writer's claim has deferred.
  @inlinable
  package func edit<Result: Sendable>(
    _ contention: inout Contention,
    _ body: (inout Value, ChangeLog<Value>?, _ version: UInt64) -> Result?
  ) -> Result? {
    while true {
      let writer = contention.writer
      switch written({ $0.edited(by: writer, &$1, body) }) {
      case .published(let woken, _, let result):
        endContention(contention)
        woken.wake()
        return result
      case .declined: return nil
      case .ignored:
        endContention(contention)
        return onCopy(body)
      case .deferred(let claim): wait(for: claim, &contention)
      }
    }
  }

  @usableFromInline
  func onCopy<Result: Sendable>(
    _ body: (inout Value, ChangeLog<Value>?, _ version: UInt64) -> Result?
  ) -> Result? {
    var copy = draft
    return body(&copy.value, nil, copy.version)
  }

  // The problem: `body` is user code, so it cannot run under the lock. Yet `modify` must not undo the write of another
  // writer. Each call of `modify` could hold a second lock while its body runs. But two bodies that each modify the
  // other's cell would deadlock, and a slow body would hold up every writer. So the body runs on a copy, and the copy
  // is published only if no other writer has written since the copy was made. Among fast writers, a slow body would
  // starve. So after several lost races the writer asks for a claim, and other writers then wait a little (see
  // `Claim`).

  /// Lets `body` change a copy of the value, without the lock, and publishes the copy. Each time that another writer
  /// writes meanwhile, runs `body` again on the newer value.
  @inlinable
  package func modify<R, E: Error>(
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    var draft = self.draft
    var contention = Contention()
    while true {
      let second = ThreadSanitizer.secondCopy(of: draft.value)
      defer { ThreadSanitizer.release(second) }
      let result: R
      do throws(E) {
        result = try body(&draft.value)
      } catch {
        endContention(contention)
        throw error
      }
      if publish(&draft, &contention) != .outrun { return result }
    }
  }

  /// Publishes what `successor` returns for the current value, unless the result is nil. Runs `successor` without the
  /// lock, and runs it again each time that another writer writes meanwhile. Returns whether an update was published.
  @inlinable
  package func replace(_ successor: (Value) -> Value?) -> Bool {
    guard var draft = locked({ $1.isFinished ? nil : $0.draft($1) }) else { return false }
    var contention = Contention()
    while true {
      guard let new = successor(draft.value) else {
        endContention(contention)
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
    /// Another writer has written first. The draft is now a copy of the newer value.
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
        endContention(contention)
        woken.wake()
        return .published
      case .published(.ignored):
        endContention(contention)
        return .ignored
      case .published(.deferred(let claim)):
        wait(for: claim, &contention)
      case .outrun(let fresh):
        // Releases the draft that has lost the race, after the lock.
        draft = fresh
        noteOutrun(&contention)
        // The release may have run a deinit that wrote to this cell and so made the fresh draft outdated.
        if contention.hasClaim { draft = self.draft }
        return .outrun
      }
    }
  }
}
