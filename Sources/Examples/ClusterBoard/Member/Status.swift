import ActorBindingsSharing
import Foundation

/// What a process of the cluster sees, as it tells the process that shows it: one line of JSON.
struct Status: Codable, Sendable, Equatable {
  var value: Shared
  var link: String
  var isLive: Bool
  var present: [String]
  var leads: Bool

  init(value: Shared, link: SharedLink, present: [String], leads: Bool) {
    self.value = value
    self.present = present
    self.leads = leads
    isLive = link == .live
    self.link =
      switch link {
      case .idle: "not started"
      case .connecting: "connecting"
      case .live: "live"
      case .stale(_, let reason): "stale: \(reason)"
      case .ended(let reason): "ended: \(reason)"
      }
  }

  /// Reads a line that another process has printed. Returns nil if the line has another meaning.
  init?(line: String) {
    guard let status = try? JSONDecoder().decode(Status.self, from: Data(line.utf8)) else { return nil }
    self = status
  }

  func line() throws -> String {
    String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
  }
}
