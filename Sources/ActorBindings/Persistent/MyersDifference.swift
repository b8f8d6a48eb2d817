/// Returns a longest common subsequence of two lists, as pairs of indices in ascending order. Returns nil if the search
/// would take more than about `limit` comparisons.
///
/// This is the Myers difference algorithm (1986). The algorithm looks for the fewest removals and insertions that turn
/// one list into the other: first with no edit, then with one edit, and so on. So it takes less time if the lists
/// differ less.
@inlinable
func longestCommonSubsequence<Element: Equatable>(
  _ olds: ArraySlice<Element>,
  _ news: ArraySlice<Element>,
  limit: Int
) -> [(old: Int, new: Int)]? {
  var table = MyersTable()
  var comparisons = 0
  while comparisons <= limit {
    var row: [Int] = []
    for index in 0...table.rows.count {
      var old = table.start(index, in: table.rows.count)
      var new = old - table.diagonal(index, in: table.rows.count)
      while old < olds.count, new < news.count, olds[olds.startIndex + old] == news[news.startIndex + new] {
        (old, new) = (old + 1, new + 1)
        comparisons += 1
      }
      row.append(old)
      guard old >= olds.count, new >= news.count else { continue }
      table.rows.append(row)
      return table.matches(endingAt: index).map { (olds.startIndex + $0.old, news.startIndex + $0.new) }
    }
    comparisons += row.count
    table.rows.append(row)
  }
  return nil
}

/// The furthest-reaching paths of the Myers difference algorithm, for each number of removals and insertions.
@usableFromInline
struct MyersTable: Sendable {
  /// For each number of edits, and for each diagonal that this number allows: the largest number of old elements that a
  /// path can pass.
  @usableFromInline var rows: [[Int]] = []

  @inlinable
  init() {}

  /// Returns the number of passed old elements minus the number of passed new elements. This difference equals the
  /// number of removals minus the number of insertions.
  @inlinable
  func diagonal(_ index: Int, in row: Int) -> Int { 2 * index - row }

  /// Returns whether the last edit of this path is a removal.
  @inlinable
  func isRemoval(_ index: Int, in row: Int) -> Bool {
    index > 0 && (index == row || rows[row - 1][index - 1] >= rows[row - 1][index])
  }

  /// Returns the number of old elements that this path has passed right after its last edit, without the equal elements
  /// that follow.
  @inlinable
  func start(_ index: Int, in row: Int) -> Int {
    if row == 0 { return 0 }
    return isRemoval(index, in: row) ? rows[row - 1][index - 1] + 1 : rows[row - 1][index]
  }

  /// Returns the pairs of equal elements on the path that ends at `index` of the last row, in ascending order.
  @inlinable
  func matches(endingAt index: Int) -> [(old: Int, new: Int)] {
    var index = index
    var pairs: [(old: Int, new: Int)] = []
    for row in rows.indices.reversed() {
      let diagonal = diagonal(index, in: row)
      for old in (start(index, in: row)..<rows[row][index]).reversed() { pairs.append((old, old - diagonal)) }
      if isRemoval(index, in: row) { index -= 1 }
    }
    return pairs.reversed()
  }
}
