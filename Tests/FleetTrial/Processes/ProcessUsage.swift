import Foundation

/// What a process has of the system, as Linux tells it.
struct ProcessUsage {
  /// The resident memory in KiB.
  var memory: Int
  var threads: Int
  var descriptors: Int

  /// Reads it; nil if there is no such process, or no `/proc`.
  init?(of process: String) {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
      let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
    else { return nil }
    var numbers: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
      if words.count > 1 { numbers[words[0]] = Int(words[1]) }
    }
    guard let memory = numbers["VmRSS"], let threads = numbers["Threads"] else { return nil }
    self.memory = memory
    self.threads = threads
    descriptors = files.count
  }
}
