import ActorBindings

/// A table that shows what was sent, delivered and skipped, and whether the library has kept its promises.
struct Table: CustomStringConvertible {
  private struct Row {
    let name: String
    var readers = ""
    var sent = ""
    var delivered = ""
    var skipped = ""
    let promise: String
    let fault: String?

    var cells: [String] {
      let verdict = fault.map { "\(red("FAILED")): \($0)" } ?? "\(green("ok")): \(promise)"
      return [name, readers, sent, delivered, skipped, verdict]
    }
  }

  private var rows: [Row] = []

  var isSound: Bool { rows.allSatisfy { $0.fault == nil } }

  mutating func add(sent settings: BindableActor<Settings>, expected: Int) {
    let isExact = settings.version == UInt64(expected) && settings.value.revision == expected
    rows.append(
      Row(
        name: "writers",
        sent: grouped(settings.version),
        promise: "none was lost, none came after finish",
        fault: isExact ? nil : "\(expected) were made, and the value says \(settings.value.revision)"
      )
    )
  }

  mutating func add(_ loops: Loops, upTo version: UInt64) {
    let roll = loops.roll.value
    let isOver = roll.ended == loops.count
    rows.append(
      Row(
        name: "loops, .\(loops.backlog)",
        readers: grouped(loops.count),
        delivered: grouped(roll.total.delivered),
        skipped: grouped(roll.total.skipped),
        promise: loops.backlog == .unbounded
          ? "every version, in order; all ended"
          : "last value, losses exact; all ended",
        fault: isOver ? roll.total.fault : "\(loops.count - roll.ended) loops have not ended"
      )
    )
  }

  mutating func add(_ name: String, _ account: Account, upTo version: UInt64) {
    var account = account
    account.close(at: version, mayBeSkipped: true)
    rows.append(
      Row(
        name: name,
        readers: "1",
        delivered: grouped(account.delivered),
        skipped: grouped(account.skipped),
        promise: "last value, losses exact",
        fault: account.fault
      )
    )
  }

  mutating func add(label text: String, expected: String) {
    rows.append(
      Row(
        name: "bound label",
        readers: "1",
        promise: "shows \"\(expected)\"",
        fault: text == expected ? nil : "shows \"\(text)\" instead of \"\(expected)\""
      )
    )
  }

  mutating func add(dead diary: Journal, observersBefore: Int, observersAfter: Int) {
    let hasLeft = observersAfter == observersBefore - 1
    let change = "observerCount \(grouped(observersBefore)) -> \(grouped(observersAfter))"
    rows.append(
      Row(
        name: "owner that died",
        readers: "1",
        delivered: grouped(diary.account.delivered),
        skipped: grouped(diary.account.skipped),
        promise: "no call since; \(change)",
        fault: diary.account.fault ?? (hasLeft ? nil : "it is still counted: \(change)")
      )
    )
  }

  var description: String {
    let header = ["", "readers", "sent", "delivered", "skipped", "checked"]
    let lines = [header] + rows.map(\.cells)
    let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      let columns = line.indices.map { column in
        switch column {
        case 0: line[column].padded(to: widths[column], onTheLeft: false)
        case line.count - 1: line[column]
        default: line[column].padded(to: widths[column], onTheLeft: true)
        }
      }
      return columns.joined(separator: "  ")
    }.joined(separator: "\n")
  }
}

extension String {
  fileprivate func padded(to width: Int, onTheLeft: Bool) -> String {
    let padding = String(repeating: " ", count: width - count)
    return onTheLeft ? padding + self : self + padding
  }
}

/// Formats a number with commas: 1234567 as 1,234,567.
func grouped(_ number: some BinaryInteger) -> String {
  var digits = String(number)
  var index = digits.count - 3
  while index > 0 {
    digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
    index -= 3
  }
  return digits
}

/// Formats a duration in seconds, with one decimal.
func rounded(_ duration: Duration) -> String {
  let tenths = Int(duration / .milliseconds(100))
  return "\(tenths / 10).\(tenths % 10)"
}
