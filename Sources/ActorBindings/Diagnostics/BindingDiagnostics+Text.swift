extension BindingDiagnostics: CustomStringConvertible {
  /// Describes the cell in one line, and each group of its readers and each derived cell in lines below it. Observers of
  /// the same line of code, on the same context, are a group.
  public var description: String { lines.joined(separator: "\n") }

  /// The lines of ``description`` about the readers of this cell itself. The readers that are furthest behind come first.
  public var readerLines: [String] {
    let lines = Group.groups(of: readers).map(\.line)
    if unrecordedStreamCount == 0 { return lines }
    return lines + [
      "\(counted(unrecordedStreamCount, "loop or stream", "loops or streams")) without a record"
    ]
  }

  /// A table for logs and terminals, with a line for each cell, such as those of ``all()``, and for each cell that is
  /// derived from it.
  public static func table(of cells: [BindingDiagnostics]) -> String {
    let header = ["cell", "version", "observers", "streams", "kept", "most behind"]
    var listed: Set<ObjectIdentifier> = []
    let rows =
      [header]
      + cells.flatMap { $0.rows(&listed) }.map { depth, cell in
        [
          String(repeating: "  ", count: depth) + cell.title,
          "\(cell.version)",
          "\(cell.observers.count)",
          "\(cell.streams.count + cell.unrecordedStreamCount)",
          "\(cell.keptUpdateCount)",
          "\(cell.largestLag)",
        ]
      }
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      row.enumerated().map { column, text in
        let room = String(repeating: " ", count: widths[column] - text.count)
        // Names to the left, numbers to the right.
        return column == 0 ? text + room : room + text
      }.joined(separator: "  ")
    }.joined(separator: "\n")
  }

  /// A graph of the cells, their readers and what is derived from them, in the language of Mermaid.
  public static func mermaid(of cells: [BindingDiagnostics]) -> String {
    var graph = Graph()
    cells.forEach { graph.add($0) }
    return (["flowchart LR"] + graph.lines.map { "  \($0)" }).joined(separator: "\n")
  }

  // This cell and the cells below it, each once, with their depths.
  private func rows(_ listed: inout Set<ObjectIdentifier>, depth: Int = 0) -> [(depth: Int, cell: Self)] {
    guard listed.insert(id).inserted else { return [] }
    return [(depth, self)] + derived.flatMap { $0.rows(&listed, depth: depth + 1) }
  }

  /// The name, the type and the place of creation.
  var title: String {
    let place = location.map { " at \($0)" } ?? ""
    return (name.map { "\($0), " } ?? "") + kind + place
  }

  /// The lag of the reader that is furthest behind.
  var largestLag: UInt64 {
    max(observers.lazy.map(\.lag).max() ?? 0, streams.lazy.map(\.lag).max() ?? 0)
  }

  fileprivate var readers: [ReaderLine] { observers.map(\.line) + streams.map(\.line) }

  private var lines: [String] {
    var facts = ["version \(version)"]
    if isFinished { facts.append("finished") }
    if !hasOwner { facts.append("its owner is gone") }
    var lines = ["\(title), \(facts.joined(separator: ", "))"]
    if keptUpdateCount > 0 { lines.append("  keeps at least \(counted(keptUpdateCount, "update"))") }
    lines += readerLines.map { "  \($0)" }
    if endWaiterCount > 0 { lines.append("  \(counted(endWaiterCount, "wait")) for the end") }
    for cell in derived { lines += cell.lines.map { "  \($0)" } }
    return lines
  }
}

private func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
  count == 1 ? "1 \(one)" : "\(count) \(many ?? one + "s")"
}

/// What the line of a reader says.
private struct ReaderLine {
  let key: Key
  let lag: UInt64

  /// Readers with the same key share a line.
  struct Key: Hashable {
    let one: String
    let many: String
    let place: String
    let isBusy: Bool
  }
}

extension BindingDiagnostics.Observer {
  fileprivate var line: ReaderLine {
    let place = (location.map { " at \($0)" } ?? "") + " on \(context), .\(backlog)"
    return ReaderLine(key: .init(one: "observer", many: "observers", place: place, isBusy: isBusy), lag: lag)
  }
}

extension BindingDiagnostics.Stream {
  fileprivate var line: ReaderLine {
    let task = taskName.map { " in the task \"\($0)\"" } ?? ""
    let place = (location.map { " at \($0)" } ?? "") + "\(task), .\(backlog)"
    let (one, many) =
      isIterated ? ("loop", "loops") : ("stream without a loop", "streams without a loop")
    return ReaderLine(key: .init(one: one, many: many, place: place, isBusy: false), lag: lag)
  }
}

/// Readers that share a line.
private struct Group {
  let key: ReaderLine.Key
  var count = 0
  var lag: UInt64 = 0

  /// The readers that are furthest behind come first: they keep the memory.
  static func groups(of readers: [ReaderLine]) -> [Group] {
    var groups: [ReaderLine.Key: Group] = [:]
    for reader in readers {
      groups[reader.key, default: Group(key: reader.key)].add(reader)
    }
    return groups.values.sorted { ($1.lag, $0.key.place) < ($0.lag, $1.key.place) }
  }

  private mutating func add(_ reader: ReaderLine) {
    count += 1
    lag = max(lag, reader.lag)
  }

  var line: String {
    var text = (count == 1 ? key.one : "\(count) \(key.many)") + key.place
    if key.isBusy { text += ", busy" }
    guard lag > 0 else { return text }
    return text + ", \(count == 1 ? "" : "at most ")\(lag) behind"
  }
}

/// The lines of a graph.
private struct Graph {
  private(set) var lines: [String] = []
  private var numbers: [ObjectIdentifier: Int] = [:]

  @discardableResult
  mutating func add(_ cell: BindingDiagnostics) -> Int {
    if let number = numbers[cell.id] { return number }
    let number = numbers.count
    numbers[cell.id] = number
    lines.append("c\(number)[\"\(escaped(cell.title))<br/>version \(cell.version)\"]")
    for (index, group) in Group.groups(of: cell.readers).enumerated() {
      lines.append("c\(number) --> r\(number)_\(index)([\"\(escaped(group.line))\"])")
    }
    for derived in cell.derived {
      let other = add(derived)
      lines.append("c\(number) --> c\(other)")
    }
    return number
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\"": result += "#quot;"
      case "<": result += "#lt;"
      case ">": result += "#gt;"
      case "#": result += "#35;"
      default: result.append(character)
      }
    }
    return result
  }
}
