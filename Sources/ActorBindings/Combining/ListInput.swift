internal import Synchronization

/// One of the cells that a list junction follows: notes the writes of that cell, and parks in it.
// @unchecked: each variable says what guards it.
final class ListInput: WriteObserver, @unchecked Sendable {
  let source: ListSource
  private let jointCell: AnyCell
  private let marks: ListMarks

  // Guarded by the lock of `marks`.
  fileprivate var isMarked = false

  // The lock of the joint cell guards the variables below.

  /// Whether the input is in the junction's list of the inputs that writers have woken.
  var isAwake = false
  /// Whether the look that is under way shows the elements of this input.
  var isLookedAt = false
  /// Whether the junction knows that the cell has ended.
  var hasEnded = false
  /// Whether the junction was detached since it made this input.
  var hasLeft = false

  init(_ source: ListSource, of jointCell: AnyCell, _ marks: ListMarks) {
    self.source = source
    self.jointCell = jointCell
    self.marks = marks
  }

  override func writtenWhileLocked(at instant: LogicalInstant) {
    marks.addWhileLocked(ListMark(input: self, instant: instant))
  }

  package override func wake() {
    jointCell.upstream?.inputWoken(self, jointCell)
  }
}

/// A cell that a list of sources reads.
struct ListSource: Sendable {
  let cell: AnyCell
  /// The elements of the list that show the cell.
  var elements: [Int] = []
  /// The positions of the junction in the cell: one for each element, or more.
  var positions: [AnyJunctionInput] = []
  /// The cells that must be locked to show `elements`: this cell, and those that a combination in the list shows
  /// together with this cell.
  var group: [AnyCell]

  init(_ cell: AnyCell) {
    self.cell = cell
    group = [cell]
  }
}

/// A write that a list junction has not read yet.
struct ListMark: Sendable {
  let input: ListInput
  let instant: LogicalInstant
}

/// The writes that a list junction has not read yet.
///
/// A writer adds its write while it holds the lock of its cell. The lock of the marks comes last: a thread that holds
/// it takes no other lock. So the marks of one cell are in the order of its versions. Between the marks of a
/// transaction there may be marks of other writes. But the marks of the transaction are complete as soon as another
/// thread has the lock of a cell that the transaction wrote.
// @unchecked: `lock` guards the variables.
final class ListMarks: @unchecked Sendable {
  private let lock = Lock()
  private var marks: [ListMark] = []
  // Whether each write counts. If not, one mark for each cell is enough.
  private var keepsAll = false
  // The number of marks ever added. Any thread may load it without the lock.
  private let added = Atomic<UInt64>(0)

  var addedCount: UInt64 { added.load(ordering: .acquiring) }

  fileprivate func addWhileLocked(_ mark: ListMark) {
    lock.withLock {
      guard keepsAll || !mark.input.isMarked else { return }
      mark.input.isMarked = true
      marks.append(mark)
      added.add(1, ordering: .releasing)
    }
  }

  /// Takes all marks.
  func takeAll() -> [ListMark] {
    lock.withLock {
      for mark in marks { mark.input.isMarked = false }
      defer { marks = [] }
      return marks
    }
  }

  /// Takes all marks, if each of them is of an input that is looked at. Otherwise returns false.
  func takeAllIfLookedAtWhileLocked() -> Bool {
    // The marks are released after the lock.
    var taken: [ListMark] = []
    return lock.withLock {
      guard marks.allSatisfy(\.input.isLookedAt) else { return false }
      for mark in marks { mark.input.isMarked = false }
      swap(&taken, &marks)
      return true
    }
  }

  /// Takes the marks of these instants, in their order.
  func take(of instants: Set<LogicalInstant>) -> [ListMark] {
    lock.withLock {
      let taken = marks.filter { instants.contains($0.instant) }
      if taken.isEmpty { return [] }
      marks.removeAll { instants.contains($0.instant) }
      // An input stays marked only while one of its marks is left: an input that is marked adds no other mark.
      for mark in taken { mark.input.isMarked = false }
      for mark in marks { mark.input.isMarked = true }
      return taken
    }
  }

  /// Begins to count each write, or ends that.
  func keepAll(_ keepsAll: Bool) {
    lock.withLock { self.keepsAll = keepsAll }
  }
}
