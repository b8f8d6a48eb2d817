extension AnyCell {
  /// Describes the owner of the cell in one line: the name, the type, `content`, shortened, and what the cell knows of its
  /// updates and readers.
  package final func description(of type: String, showing content: String? = nil) -> String {
    let (version, readers, isFinished) = locked { ($0.version, $0.readers, $0.isFinished) }
    let shown = content.map { "\(shortened($0)), " } ?? ""
    let count = readers == 1 ? "1 reader" : "\(readers) readers"
    let title = name.map { "\($0), \(type)" } ?? type
    return "\(title)(\(shown)version \(version), \(count)\(isFinished ? ", finished" : ""))"
  }
}

// A line that is longer than a line of a terminal helps no reader.
private func shortened(_ text: String) -> String {
  let longest = 60
  return text.count > longest ? text.prefix(longest) + "…" : text
}
