extension BindingDiagnostics: CustomStringConvertible {
  /// Describes the cell in one line, and each group of its readers and each derived cell in lines below it. Observers of
  /// the same line of code, on the same context, are a group.
  public var description: String { lines.joined(separator: "\n") }

  /// The lines of ``description`` about the readers of this cell itself, and about derived cells for which it keeps
  /// updates. The readers that are furthest behind come first.
  public var readerLines: [String] {
    let lines = Group.groups(of: readers + derivations.compactMap(\.line)).map(\.line)
    if unrecordedStreamCount == 0 { return lines }
    let count = counted(unrecordedStreamCount, "loop or stream", "loops or streams")
    let unbounded =
      switch unrecordedUnboundedCount {
      case 0: ""
      case unrecordedStreamCount: ", .unbounded"
      case let some: ", \(some) of them .unbounded"
      }
    return lines + ["\(count) without a record\(unbounded)"]
  }

  /// The line of a reader for which cells upstream keep updates; nil if all readers need only the newest value.
  var slowestReader: String? {
    let known = readers.filter(\.keepsUpdates)
    if let first = Group.groups(of: known).first { return first.title }
    return unrecordedUnboundedCount > 0 ? "a loop or stream without a record, .unbounded" : nil
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
    cells.forEach { graph.connect($0) }
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
    if waitingCallCount > 0 {
      facts.append("\(counted(waitingCallCount, "call waits", "calls wait"))")
    }
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
  var keepsUpdates = false

  /// Readers with the same key share a line.
  struct Key: Hashable {
    var start = ""
    let one: String
    let many: String
    let place: String
    let isBusy: Bool
  }
}

extension BindingDiagnostics.Observer {
  fileprivate var line: ReaderLine {
    let place = (location.map { " at \($0)" } ?? "") + " on \(context), .\(backlog)"
    return ReaderLine(
      key: .init(one: "observer", many: "observers", place: place, isBusy: isBusy),
      lag: lag,
      keepsUpdates: backlog != .latest
    )
  }
}

extension BindingDiagnostics.Stream {
  fileprivate var line: ReaderLine {
    let task = taskName.map { " in the task \"\($0)\"" } ?? ""
    let place = (location.map { " at \($0)" } ?? "") + "\(task), .\(backlog)"
    let (one, many) =
      isIterated ? ("loop", "loops") : ("stream without a loop", "streams without a loop")
    return ReaderLine(
      key: .init(one: one, many: many, place: place, isBusy: false),
      lag: lag,
      keepsUpdates: backlog != .latest
    )
  }
}

extension BindingDiagnostics.Derivation {
  /// Nil if the cell keeps nothing for the derived cell.
  fileprivate var line: ReaderLine? {
    if keptUpdateCount == 0 { return nil }
    let place = slowestReader.map { ", read by \($0)" } ?? ""
    return ReaderLine(
      key: .init(start: "kept for ", one: kind, many: "cells of \(kind)", place: place, isBusy: false),
      lag: UInt64(keptUpdateCount)
    )
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
    let text = key.start + (count == 1 ? key.one : "\(count) \(key.many)") + key.place + ending
    guard lag > 0 else { return text }
    return text + ", \(count == 1 ? "" : "at most ")\(lag) behind"
  }

  /// The line without the lag, for the middle of a sentence.
  var title: String {
    (count == 1 ? "\(key.one.first == "o" ? "an" : "a") \(key.one)" : "\(count) \(key.many)") + key.place
      + ending
  }

  private var ending: String { key.isBusy ? ", busy" : "" }
}

/// The lines of a graph.
private struct Graph {
  private(set) var lines: [String] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  private var connected: Set<ObjectIdentifier> = []

  /// Adds the cells of a tree, each once, and their readers.
  mutating func add(_ cell: BindingDiagnostics) {
    if numbers[cell.id] == nil {
      let number = numbers.count
      numbers[cell.id] = number
      lines.append("c\(number)[\"\(escaped(cell.title))<br/>version \(cell.version)\"]")
      for (index, group) in Group.groups(of: cell.readers).enumerated() {
        lines.append("c\(number) --> r\(number)_\(index)([\"\(escaped(group.line))\"])")
      }
    }
    cell.derived.forEach { add($0) }
  }

  /// Adds the edges of a tree whose cells were added. A cell may be derived from several cells.
  mutating func connect(_ cell: BindingDiagnostics) {
    if connected.insert(cell.id).inserted {
      // A relay may read one cell twice.
      var others: Set<ObjectIdentifier> = []
      for derivation in cell.derivations where others.insert(derivation.id).inserted {
        guard let number = numbers[cell.id], let other = numbers[derivation.id] else { continue }
        lines.append("c\(number) --> c\(other)")
      }
    }
    cell.derived.forEach { connect($0) }
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
