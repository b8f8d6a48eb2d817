import Foundation
import Reporting

/// A bar chart of ratios on a logarithmic scale, as SVG. The chart has no background, and its greys are legible on
/// light and dark pages.
struct Chart {
  let family: String
  let measurements: [Measurement]

  /// A chart for each family of workloads.
  static func all(of measurements: [Measurement]) -> [Chart] {
    var families: [String] = []
    for measurement in measurements where !families.contains(measurement.workload.family) {
      families.append(measurement.workload.family)
    }
    return families.map { family in
      Chart(family: family, measurements: measurements.filter { $0.workload.family == family })
    }
  }

  /// Writes the charts into an existing directory.
  func write(to directory: String) throws {
    let url = URL(fileURLWithPath: directory).appendingPathComponent("\(family).svg")
    try Data(svg.utf8).write(to: url)
  }

  // MARK: Drawing

  private static let plot = 460.0
  private static let right = 70.0
  private static let row = 22.0
  private static let heading = 40.0
  private static let ours = "#F05138"
  private static let others = "#8E8E93"
  private static let text = "#7D7D83"

  // The powers of ten between which all ratios lie.
  private var decades: ClosedRange<Int> {
    let ratios = measurements.flatMap { $0.results.map(\.ratio.median) }
    let lowest = Int(log10(max(ratios.min() ?? 1, 1e-6)).rounded(.down))
    let highest = Int(log10(ratios.max() ?? 1).rounded(.up))
    return min(lowest, 0)...max(highest, 1)
  }

  // The names of the subjects stand left of the plot. A character takes at most 7 points on average.
  private var left: Double {
    let longest = measurements.flatMap { $0.results.map(\.subject.name.count) }.max() ?? 0
    return max(230, 7 * Double(longest) + 60)
  }

  private var width: Double { left + Self.plot + Self.right }

  private func x(_ ratio: Double) -> Double {
    let (low, high) = (Double(decades.lowerBound), Double(decades.upperBound))
    return left + Self.plot * (min(max(log10(max(ratio, 1e-9)), low), high) - low) / (high - low)
  }

  private var svg: String {
    var body: [String] = []
    var y = 0.0
    for measurement in measurements {
      body.append(
        text(measurement.workload.title, x: 0, y: y + 17, anchor: "start", weight: "600")
      )
      body.append(
        text(
          "1 = \(measurement.workload.reference), per \(measurement.workload.unit)",
          x: 0,
          y: y + 33,
          size: 11
        )
      )
      y += Self.heading
      let rows = Double(measurement.results.count) * Self.row
      for decade in decades {
        let position = x(pow(10, Double(decade)))
        body.append(
          """
          <line x1="\(f(position))" y1="\(f(y))" x2="\(f(position))" y2="\(f(y + rows))" stroke="\(Self.others)" \
          stroke-opacity="\(decade == 0 ? 0.9 : 0.25)"/>
          """
        )
      }
      for result in measurement.results {
        body.append(bar(result, y: y))
        y += Self.row
      }
      for decade in decades {
        body.append(
          text(Self.label(decade), x: x(pow(10, Double(decade))), y: y + 13, anchor: "middle", size: 10)
        )
      }
      y += 28
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(f(width)) \(f(y))" width="\(f(width))" \
      height="\(f(y))" role="img" font-family="system-ui, -apple-system, Helvetica, Arial, sans-serif">
      <title>\(escaped(family)): time as a ratio to the baseline, logarithmic; less is better</title>
      \(body.joined(separator: "\n"))
      </svg>

      """
  }

  // Draws a bar from 1 to the left if the subject is faster than the reference, and to the right if the subject is
  // slower.
  private func bar(_ result: Measurement.Result, y: Double) -> String {
    let (one, end) = (x(1), x(result.ratio.median))
    let isOurs = result.subject.isOurs
    let isFaster = end < one
    return [
      text(
        result.subject.name,
        x: left - 60,
        y: y + 15,
        anchor: "end",
        weight: isOurs ? "600" : "400",
        color: isOurs ? Self.ours : Self.text
      ),
      """
      <rect x="\(f(min(one, end)))" y="\(f(y + 4))" width="\(f(max(abs(end - one), 2)))" height="14" rx="2" \
      fill="\(isOurs ? Self.ours : Self.others)"/>
      """,
      text(
        times(result.ratio.median),
        x: end + (isFaster ? -5 : 5),
        y: y + 15,
        anchor: isFaster ? "end" : "start",
        size: 11
      ),
    ].joined(separator: "\n")
  }

  private func text(
    _ string: String,
    x: Double,
    y: Double,
    anchor: String = "start",
    size: Int = 12,
    weight: String = "400",
    color: String = Chart.text
  ) -> String {
    """
    <text x="\(f(x))" y="\(f(y))" text-anchor="\(anchor)" font-size="\(size)" font-weight="\(weight)" \
    fill="\(color)">\(escaped(string))</text>
    """
  }

  private static func label(_ decade: Int) -> String {
    decade >= 0
      ? "\(Int(pow(10, Double(decade)))) ×" : "\(String(format: "%.*f", -decade, pow(10, Double(decade)))) ×"
  }

  private func f(_ number: Double) -> String {
    String(format: "%.1f", number)
  }

  private func escaped(_ string: String) -> String {
    string.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}
