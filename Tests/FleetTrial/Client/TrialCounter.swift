/// A counter that all clients follow and read, and some write.
struct TrialCounter: Sendable {
  let name: String
  /// The numbers of the clients that write it.
  let writers: ClosedRange<Int>

  /// The key in the store.
  var key: String { "counters/\(name)" }

  /// The clients that the trial never kills, so that they know of each of their writes whether it was acknowledged. Their
  /// requests go through the proxies that lose acknowledgements.
  static let survivors = 0...1

  /// Whether the counter must be exactly the number of acknowledged writes. Its only writer is never killed. No other
  /// client removes the mark that tells the writer, after a lost acknowledgement, that its write was applied.
  var isExact: Bool { writers.count == 1 }

  static let all = [
    TrialCounter(name: "0", writers: 0...3),
    TrialCounter(name: "1", writers: 0...3),
    TrialCounter(name: "2", writers: survivors),
    TrialCounter(name: "3", writers: 0...0),
    TrialCounter(name: "4", writers: 1...1),
  ]
}
