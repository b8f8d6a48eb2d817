/// The median of some numbers, and the quartiles around it.
package struct Spread: Sendable {
  package let lower: Double
  package let median: Double
  package let upper: Double

  package init(_ numbers: [Double]) {
    let sorted = numbers.sorted()
    func quantile(_ fraction: Double) -> Double {
      let position = fraction * Double(sorted.count - 1)
      let index = Int(position)
      let next = min(index + 1, sorted.count - 1)
      return sorted[index] + (sorted[next] - sorted[index]) * (position - Double(index))
    }
    precondition(!sorted.isEmpty, "a spread of nothing")
    lower = quantile(0.25)
    median = quantile(0.5)
    upper = quantile(0.75)
  }
}
