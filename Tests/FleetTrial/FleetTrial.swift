import Foundation

/// A trial of cells that several processes share over etcd: kills and freezes members of etcd and clients at random, loses
/// acknowledgements of writes, and then checks that the promises of *Guarantees of sharing* hold.
///
///     FleetTrial [SECONDS [SEED]]
///
/// The program also is its clients: `FleetTrial client NUMBER LIFE FOLDER URL…`.
@main
struct FleetTrial {
  static func main() async throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "client" {
      try await Client(arguments).run()
      return
    }
    guard let etcd = Members.program else {
      print("There is no etcd here: apt-get install etcd-server")
      exit(77)
    }
    let seconds = arguments.isEmpty ? 300 : Double(arguments.removeFirst()) ?? 300
    let seed = arguments.first.flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    let folder = Members.parent.appendingPathComponent("fleet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    print("Seed \(seed), \(Int(seconds)) s. To repeat: FleetTrial \(Int(seconds)) \(seed)")
    let trial = try Trial(etcd: etcd, folder: folder, seed: seed)
    var findings: [String]
    do {
      try await trial.start()
      try await trial.makeFaults(for: seconds)
      try await trial.endFaults()
      findings = trial.findings
    } catch {
      findings = trial.findings + ["The trial could not go on: \(error)."]
    }
    trial.endProcesses()
    if findings.isEmpty {
      try FileManager.default.removeItem(at: folder)
      print("All promises were kept.")
    } else {
      for finding in findings { print("BROKEN: \(finding)") }
      print("The logs are in \(folder.path). To repeat: FleetTrial \(Int(seconds)) \(seed)")
      exit(1)
    }
  }
}
