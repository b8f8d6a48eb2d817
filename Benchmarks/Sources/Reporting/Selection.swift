/// Returns the items with these names. An unknown name is an error, which suggests names that are near.
package func select<Item>(
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

/// An error: the options cannot be carried out.
package struct Refusal: Error {
  package let message: String

  package init(message: String) {
    self.message = message
  }
}
