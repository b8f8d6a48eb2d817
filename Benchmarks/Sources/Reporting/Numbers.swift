import Foundation

/// Formats nanoseconds with about three digits: 8.42, 84.2, 842, and 8,420.
package func digits(_ number: Double) -> String {
  let magnitude = abs(number)
  if magnitude >= 1000 {
    return (number < 0 ? "-" : "") + grouped(Int(magnitude.rounded()))
  }
  return String(format: magnitude >= 100 ? "%.0f" : magnitude >= 10 ? "%.1f" : "%.2f", number)
}

/// Formats a number with commas: 1234567 as 1,234,567.
package func grouped(_ number: Int) -> String {
  let whole = String(number)
  var grouped = ""
  for (index, digit) in whole.enumerated() {
    if index > 0, (whole.count - index) % 3 == 0 { grouped.append(",") }
    grouped.append(digit)
  }
  return grouped
}

/// Formats a ratio: 0.031 ×, 0.94 ×, 1.27 ×, 12.4 ×, 1,240 ×.
package func times(_ ratio: Double) -> String {
  (ratio < 0.2 ? String(format: "%.3f", ratio) : digits(ratio)) + " ×"
}

/// Formats a count: without decimals if it is a whole number, and otherwise with at most four decimals.
package func exact(_ number: Double) -> String {
  if number == number.rounded() { return String(Int(number)) }
  var text = String(format: "%.4f", number)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text
}

extension String {
  package func padded(to width: Int, onTheLeft: Bool = false) -> String {
    let padding = String(repeating: " ", count: max(0, width - count))
    return onTheLeft ? padding + self : self + padding
  }
}
