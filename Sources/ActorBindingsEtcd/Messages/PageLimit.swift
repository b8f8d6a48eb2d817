/// The number of entries to ask for in one answer, so that an answer has about a megabyte.
///
/// - Behavior: Begins with few entries, because they may be large. Each answer shows the size of the entries. The
///   number grows eightfold at most from one page to the next, so that an answer has a few megabytes at most, unless
///   larger entries follow small ones.
package struct PageLimit: Hashable, Sendable {
  /// The number of entries to ask for.
  package private(set) var entries = 32

  package init() {}

  /// An answer with this many entries and bytes came.
  package mutating func answerCame(entries count: Int, bytes: Int) {
    let size = max(bytes / max(count, 1), 1)
    entries = min(max((1 << 20) / size, 1), 8 * entries, 8192)
  }
}
