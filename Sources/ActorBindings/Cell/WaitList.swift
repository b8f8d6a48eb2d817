public import Synchronization

/// What a writer wakes when a cell has something new: for example a lane, the task of a loop, or an input waiter.
@usableFromInline
package class Waiter: @unchecked Sendable {
  // The links of a `WaitList`. Guarded by the cell's lock while this waiter is parked. A thread that takes the list
  // owns the links of all waiters in it. So Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline final var storedNext: Waiter?
  @exclusivity(unchecked) @usableFromInline final unowned(unsafe) var previous: Waiter?
  @exclusivity(unchecked) @usableFromInline final var storedEpoch: UInt64 = 0

  // Whether the links are in use: by the list, or by a thread that took the list and has not come to this waiter yet.
  // Set under the cell's lock. Cleared under that lock, or by the thread that took the list, just before it wakes this
  // waiter.
  @usableFromInline final let isLinked = Atomic(false)

  @inlinable final var next: Waiter? {
    get { unsafe storedNext }
    set { unsafe storedNext = newValue }
  }

  /// The epoch of the list when this waiter parked in it.
  @inlinable final var epoch: UInt64 {
    get { unsafe storedEpoch }
    set { unsafe storedEpoch = newValue }
  }

  @usableFromInline
  init() {}

  /// The objects that a wake-up of this waiter touches, besides the waiter and its cell. Called under the cell's lock.
  package func touchedObjectsWhileLocked() -> (first: AnyObject?, second: AnyObject?) { (nil, nil) }

  /// Tells this waiter that there is something new. A thread that takes this waiter out of a list in order to wake it
  /// calls this once, after the lock.
  package func wake() {
    preconditionFailure("\(type(of: self)) was parked but does not say how it is woken")
  }
}

extension Waiter: CustomReflectable {
  /// An empty mirror: the cell's lock guards what a mirror would read.
  @usableFromInline package final var customMirror: Mirror { Mirror(self, children: []) }
}

/// The waiters that are parked in a cell.
///
/// A writer takes out all waiters in one step, whatever their number: the list begins a new *epoch*, and waiters that
/// parked in an older epoch are no longer in the list. So it takes O(1) steps under the lock to park a waiter, to
/// remove a waiter, or to take out all waiters.
///
/// The problem: a waiter may leave, because its task is cancelled, while the thread that took the list (the *taker*)
/// walks along the links. An array of waiters could be taken in one step too. But a waiter that leaves would have to
/// search the array, or know its index in the array, and this index changes when other waiters leave. With a flag in
/// each waiter, the taker would have to set all flags under the lock. With epochs the taker touches no waiter under the
/// lock. A waiter that wants to leave compares its epoch with the list's. If the epochs differ, the waiter was taken,
/// and its wake-up is on the way.
///
/// ### States of a waiter
/// - *parked*: linked, and its epoch is the list's.
/// - *taken*: its epoch is older than the list's. The taker owns its links and will wake it. Until then the waiter
///   cannot park, and need not: the wake-up is still to come.
/// - *away*: not linked.
@usableFromInline
package struct WaitList: Sendable {
  @usableFromInline var first: Waiter?
  @usableFromInline unowned(unsafe) var last: Waiter?
  @usableFromInline var epoch: UInt64 = 1

  @inlinable
  package init() {}

  /// The parked waiters, first to last. For tests.
  package var members: [Waiter] {
    var members: [Waiter] = []
    var rest = first
    while let waiter = rest {
      members.append(waiter)
      rest = waiter.next
    }
    return members
  }

  @inlinable
  package func contains(_ waiter: Waiter) -> Bool {
    waiter.epoch == epoch
  }

  /// Parks `waiter`, which has seen everything. Does nothing if a taker of the list will still wake it.
  @usableFromInline
  package mutating func append(_ waiter: Waiter) {
    precondition(waiter.epoch != epoch, "\(type(of: waiter)) was parked while it was parked")
    // A caller that is already on a lane's context may run the lane's turn. Then the lane may ask to park before an
    // earlier wake-up reaches it.
    if waiter.isLinked.load(ordering: .acquiring) { return }
    waiter.isLinked.store(true, ordering: .relaxed)
    waiter.epoch = epoch
    unsafe waiter.previous = last
    if let last = unsafe last {
      last.next = waiter
    } else {
      first = waiter
    }
    unsafe last = waiter
  }

  /// Takes out `waiter`. Returns false if it was not parked: then it is away, or a taker of the list will wake it.
  @usableFromInline
  package mutating func remove(_ waiter: Waiter) -> Bool {
    guard contains(waiter) else { return false }
    if unsafe waiter.storedNext == nil && waiter.previous == nil {
      // Most of the time the waiter is alone in the list. This case counts no references to neighbours.
      unsafe (first, last) = (nil, nil)
    } else {
      unlink(waiter)
    }
    waiter.epoch = 0
    waiter.isLinked.store(false, ordering: .relaxed)
    return true
  }

  private mutating func unlink(_ waiter: Waiter) {
    let next = waiter.next
    let previous = unsafe waiter.previous
    if let next { unsafe next.previous = previous } else { unsafe last = previous }
    if let previous { previous.next = next } else { first = next }
    waiter.next = nil
    unsafe waiter.previous = nil
  }

  /// Takes out all waiters. The caller must wake them after the lock.
  @inlinable
  package mutating func takeAll() -> Woken {
    guard let first = first.take() else { return Woken(first: nil) }
    unsafe last = nil
    epoch &+= 1
    return Woken(first: first)
  }
}

extension WaitList {
  /// Takes out all waiters, and puts them before `others`, which a caller has taken from another list.
  @inlinable
  package mutating func takeAll(before others: Woken) -> Woken {
    guard let first = others.first else { return takeAll() }
    if let last = unsafe last { last.next = first }
    let woken = takeAll()
    return woken.first == nil ? others : woken
  }
}

/// The waiters that a writer took out of a `WaitList`, and must wake.
@usableFromInline
package struct Woken: Sendable {
  @usableFromInline let first: Waiter?

  @inlinable
  init(first: Waiter?) {
    self.first = first
  }

  @inlinable
  package consuming func wake() {
    if let first { Self.wakeAll(from: first) }
  }

  /// Puts these waiters before `taken`, which the caller took earlier.
  @usableFromInline
  func add(to taken: inout Waiter?) {
    guard var last = first else { return }
    if taken != nil {
      while let next = last.next { last = next }
      last.next = taken
    }
    taken = first
  }

  @usableFromInline
  static func wakeAll(from first: consuming Waiter) {
    // Holds one reference to each waiter until it was woken: the reference that the list had.
    var rest = unsafe Optional(Unmanaged.passRetained(consume first))
    while let waiter = unsafe rest {
      unsafe rest = waiter._withUnsafeGuaranteedRef { waiter in
        // A woken waiter may park again at once, and so change its links.
        let next = unsafe waiter.storedNext.take().map { unsafe Unmanaged.passRetained($0) }
        unsafe waiter.previous = nil
        waiter.isLinked.store(false, ordering: .releasing)
        SchedulePoint.pass()
        waiter.wake()
        return unsafe next
      }
      unsafe waiter.release()
    }
  }
}
