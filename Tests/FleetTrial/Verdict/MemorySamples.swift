/// The memory of the clients over time.
struct MemorySamples {
  private var samples: [String: [Int]] = [:]

  mutating func take(of clients: [Target]) {
    for client in clients {
      guard let id = client.process?.id, let usage = ProcessUsage(of: "\(id)") else { continue }
      samples["\(client.name), life \(client.lives)", default: []].append(usage.memory)
    }
  }

  /// Checks that each client that lived for 40 s has no more memory in the second half of its life than in the first.
  func check(_ trial: Trial) {
    for (name, all) in samples.sorted(by: { $0.key < $1.key }) where all.count >= 40 {
      // Without the first seconds, in which the process fills its caches.
      let rest = all.dropFirst(10)
      let (first, second) = (median(rest.prefix(rest.count / 2)), median(rest.suffix(rest.count / 2)))
      trial.print("memory of \(name): \(first) KiB in the first half of \(all.count) s, then \(second) KiB")
      if second > first + first / 10 + 4096 {
        trial.find("The memory of \(name) has grown from \(first) to \(second) KiB.")
      }
    }
  }

  private func median(_ numbers: ArraySlice<Int>) -> Int {
    numbers.sorted()[numbers.count / 2]
  }
}
