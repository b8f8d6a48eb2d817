import ActorBindings
import Foundation

/// Sends the metrics of a server to dashboards, and to each only what it has missed.
final class MetricsServer: Sendable {
  let metrics = BindableDictionary<String, Int>([:], history: 100)
  let run = UUID().uuidString

  /// Serves a dashboard, which may have received a version of this run or of a former one.
  func serve(
    _ known: (run: String, version: UInt64)?,
    to write: @Sendable (Data) async throws -> Void
  ) async throws {
    try await write(JSONEncoder().encode(run))
    let version = known?.run == run ? known?.version : nil
    for await change in metrics.changes(since: version, backlog: .latest) {
      try await write(JSONEncoder().encode(change))
    }
  }
}

/// The dashboard of one client.
struct Dashboard {
  private(set) var known: (run: String, version: UInt64)?
  private(set) var metrics: PersistentDictionary<String, Int> = [:]
  private var run = ""

  mutating func receive(_ message: Data) throws {
    if let run = try? JSONDecoder().decode(String.self, from: message) {
      self.run = run
    } else {
      let delta = try JSONDecoder().decode(
        CollectionDelta<PersistentDictionary<String, Int>>.self,
        from: message
      )
      try metrics.apply(validating: delta)
      known = (run, delta.version)
    }
  }
}
