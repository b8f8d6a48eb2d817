/// The increments and reads of one counter by several tasks or processes, with the order in which they began and ended.
///
/// Such a history is linearizable if and only if the operations, in the order of their results, contradict no order of
/// time: no operation ended before an operation with a smaller result began. So no search is needed.
package struct CounterHistory: Sendable {
  private struct Operation {
    var began: Int
    var ended: Int
    var value: Int
    var isRead: Bool
  }

  private var time = 0
  private var operations: [Operation] = []
  /// The number of increments that ended with the error that they may have been applied.
  package private(set) var uncertain = 0

  package init() {}

  /// The results of the increments, in order.
  package var increments: [Int] { operations.filter { !$0.isRead }.map(\.value).sorted() }

  /// An operation begins. Returns the time.
  package mutating func began() -> Int {
    time += 1
    return time
  }

  /// An operation that began at a time has ended with a value: after an increment the value that it wrote.
  package mutating func ended(began: Int, value: Int, isRead: Bool) {
    time += 1
    operations.append(Operation(began: began, ended: time, value: value, isRead: isRead))
  }

  /// An operation has had a begin and an end by a clock that all its processes share.
  package mutating func happened(began: Int, ended: Int, value: Int, isRead: Bool) {
    operations.append(Operation(began: began, ended: ended, value: value, isRead: isRead))
  }

  /// An increment may have been applied, or not.
  package mutating func endedUncertain() {
    uncertain += 1
  }

  /// Whether each operation can have happened at one instant between its begin and its end.
  package var isLinearizable: Bool {
    let increments = increments
    if Set(increments).count != increments.count { return false }
    // A read of a value comes after the increment to it. Reads of one value may have any order.
    let groups = Dictionary(grouping: operations) { 2 * $0.value + ($0.isRead ? 1 : 0) }
    var latestBegin = 0
    for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
      if group.contains(where: { $0.ended < latestBegin }) { return false }
      latestBegin = max(latestBegin, group.map(\.began).max() ?? 0)
    }
    return true
  }
}
