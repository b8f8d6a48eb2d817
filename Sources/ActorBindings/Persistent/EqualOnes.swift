/// Where equal elements are in both, as many as there are in the same order on both sides: in ascending order. Nil if it
/// would take more than `limit` comparisons to find out.
///
/// It looks for the fewest removals and insertions that make the one of the other: first with none, then with one, and so
/// on (Myers, 1986). So the less differs, the sooner it is done.
@inlinable
func equalOnes<Element: Equatable>(
  _ olds: ArraySlice<Element>,
  _ news: ArraySlice<Element>,
  limit: Int
) -> [(old: Int, new: Int)]? {
  var ways = EditWays()
  var comparisons = 0
  while comparisons <= limit {
    var row: [Int] = []
    for index in 0...ways.rows.count {
      var old = ways.start(index, in: ways.rows.count)
      var new = old - ways.lead(index, in: ways.rows.count)
      while old < olds.count, new < news.count, olds[olds.startIndex + old] == news[news.startIndex + new] {
        (old, new) = (old + 1, new + 1)
        comparisons += 1
      }
      row.append(old)
      guard old >= olds.count, new >= news.count else { continue }
      ways.rows.append(row)
      return ways.back(from: index).map { (olds.startIndex + $0.old, news.startIndex + $0.new) }
    }
    comparisons += row.count
    ways.rows.append(row)
  }
  return nil
}

/// How far one gets through two lists with so many removals and insertions.
@usableFromInline
struct EditWays: Sendable {
  /// For each number of edits, and for each lead that one may have then: how many old elements are passed at most.
  @usableFromInline var rows: [[Int]] = []

  @inlinable
  init() {}

  /// How many more old elements than new ones are passed: there were as many more removals than insertions.
  @inlinable
  func lead(_ index: Int, in row: Int) -> Int { 2 * index - row }

  /// Whether the last edit on the way there is a removal.
  @inlinable
  func isRemoval(_ index: Int, in row: Int) -> Bool {
    index > 0 && (index == row || rows[row - 1][index - 1] >= rows[row - 1][index])
  }

  /// How many old elements are passed with the last edit on the way there, before those that are equal.
  @inlinable
  func start(_ index: Int, in row: Int) -> Int {
    if row == 0 { return 0 }
    return isRemoval(index, in: row) ? rows[row - 1][index - 1] + 1 : rows[row - 1][index]
  }

  /// The equal ones on the way there, in ascending order. It ends in the last row.
  @inlinable
  func back(from index: Int) -> [(old: Int, new: Int)] {
    var index = index
    var pairs: [(old: Int, new: Int)] = []
    for row in rows.indices.reversed() {
      let lead = lead(index, in: row)
      for old in (start(index, in: row)..<rows[row][index]).reversed() { pairs.append((old, old - lead)) }
      if isRemoval(index, in: row) { index -= 1 }
    }
    return pairs.reversed()
  }
}
