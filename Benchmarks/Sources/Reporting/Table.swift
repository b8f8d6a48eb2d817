/// Results as text.
package enum Table {
  /// Formats rows under a header, in columns of the necessary width. Columns in `left` are aligned to the left, others
  /// to the right.
  package static func aligned(_ rows: [[String]], left: Set<Int>) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = row.indices.map { row[$0].padded(to: widths[$0], onTheLeft: !left.contains($0)) }
        .joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
