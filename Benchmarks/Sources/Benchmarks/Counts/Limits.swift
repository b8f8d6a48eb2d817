import Foundation
import Reporting

/// The limits of the counts: a line `id limit` for each; a remark follows a #.
struct Limits {
  private let limits: [String: Double]

  init(path: String) throws(Refusal) {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw Refusal(message: "\(path) cannot be read")
    }
    var limits: [String: Double] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
      if words.isEmpty { continue }
      guard words.count == 2, let limit = Double(words[1]), limit.isFinite else {
        throw Refusal(message: "\(path):\(index + 1): not a name and a number: \(line)")
      }
      guard limits.updateValue(limit, forKey: String(words[0])) == nil else {
        throw Refusal(message: "\(path):\(index + 1): a second limit for \(words[0])")
      }
    }
    self.limits = limits
  }

  subscript(id: String) -> Double? { limits[id] }

  /// Returns a line for each count, and whether all limits hold.
  func check(_ counted: [Tallied], isComplete: Bool) -> (lines: [String], holds: Bool) {
    var lines: [String] = []
    var holds = true
    for item in counted {
      let (id, found) = (item.count.id, item.found)
      guard let limit = limits[id] else {
        lines.append("NO LIMIT  \(id): \(exact(found)) now (\(item.count.title))")
        holds = false
        continue
      }
      if found > limit {
        lines.append(
          "EXCEEDED  \(id): \(exact(found)), and at most \(exact(limit)) is allowed (\(item.count.title))"
        )
        holds = false
      } else if found < limit {
        lines.append(
          "ok        \(id): \(exact(found)); the limit of \(exact(limit)) could be lowered to that"
        )
      } else {
        lines.append("ok        \(id): \(exact(found))")
      }
    }
    if isComplete {
      for id in limits.keys.sorted() where !Count.all.contains(where: { $0.id == id }) {
        lines.append("UNKNOWN   \(id): has a limit, but nothing of that name is counted")
        holds = false
      }
    }
    let unchecked = Count.all.count { limits[$0.id] != nil } - counted.count
    if isComplete, unchecked > 0 {
      lines.append(
        "skipped   \(unchecked) limits of locks and atomic operations, which are not counted on this machine"
      )
    }
    return (lines, holds)
  }
}
