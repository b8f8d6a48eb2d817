/// A row of the comparison: what something costs beside what a program uses today. A row names subjects of workloads and
/// counts, and measures nothing itself.
struct Row: Sendable {
  /// The name on the command line.
  let id: String
  let title: String
  let lines: [Line]

  /// One way of doing the work of a row, for example in place.
  struct Line: Sendable {
    let name: String
    let source: Source
    /// The name of our subject. A count has only one.
    var ours = ""
    /// The baseline that a careful programmer writes by hand for this one case.
    let floor: String?
    /// The baselines that need nothing but the toolchain.
    let toolchain: [String]
    let aim: Aim?
  }

  enum Source: Sendable {
    case workload(String)
    case count(String)
  }

  enum Aim: Sendable {
    /// At most this multiple of the floor.
    case times(Double)
    /// At most this number of bytes.
    case bytes(Double)

    /// Nil if there is no ratio.
    func isMet(_ ours: Double, ratio: Double?) -> Bool? {
      switch self {
      case .times(let limit): ratio.map { $0 <= limit }
      case .bytes(let limit): ours <= limit
      }
    }

    var text: String {
      switch self {
      case .times(let limit): "≤ \(Benchmarks.times(limit))"
      case .bytes(let limit): "≤ \(digits(limit)) B"
      }
    }
  }

  init(_ id: String, _ title: String, _ lines: [Line]) {
    self.id = id
    self.title = title
    self.lines = lines
  }

  static func line(
    _ name: String,
    _ workload: String,
    _ ours: String,
    floor: String?,
    toolchain: [String] = [],
    aim: Aim? = nil
  ) -> Line {
    Line(name: name, source: .workload(workload), ours: ours, floor: floor, toolchain: toolchain, aim: aim)
  }

  static func bytes(
    _ name: String,
    _ count: String,
    floor: String? = nil,
    toolchain: [String] = [],
    aim: Aim? = nil
  ) -> Line {
    Line(name: name, source: .count(count), floor: floor, toolchain: toolchain, aim: aim)
  }

  /// Returns the rows with these names. An unknown name is an error, which suggests names that are near.
  static func named(_ names: [String]) throws(Refusal) -> [Row] {
    try select(names, among: all, \.id, "row")
  }
}

/// Returns the items with these names. An unknown name is an error, which suggests names that are near.
func select<Item>(
  _ names: [String],
  among items: [Item],
  _ id: (Item) -> String,
  _ what: String
) throws(Refusal) -> [Item] {
  var found: [Item] = []
  for name in names {
    if let item = items.first(where: { id($0) == name.lowercased() }) {
      found.append(item)
      continue
    }
    let near = nearest(to: name.lowercased(), among: items.map(id))
    let hint = near.isEmpty ? "" : ": did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"
    throw Refusal(
      message: "there is no \(what) '\(name)'\(hint)\nThe \(what)s: \(items.map(id).joined(separator: " "))"
    )
  }
  return found
}

/// Returns the names that contain `name`, or else those that differ from it in few letters.
private func nearest(to name: String, among names: [String]) -> [String] {
  let containing = names.filter { $0.contains(name) || name.contains($0) }
  if !containing.isEmpty { return Array(containing.prefix(3)) }
  let near = names.map { ($0, distance($0, name)) }.filter { $0.1 <= max(2, name.count / 3) }
  return near.sorted { $0.1 < $1.1 }.prefix(3).map(\.0)
}

/// The Levenshtein distance of two words.
private func distance(_ first: String, _ second: String) -> Int {
  let second = Array(second)
  var row = Array(0...second.count)
  for (i, letter) in first.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for j in second.indices {
      let replaced = diagonal + (letter == second[j] ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
    }
  }
  return row[second.count]
}
