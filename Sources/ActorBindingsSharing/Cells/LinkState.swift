/// The link of a shared cell: of its loop, unless a value cannot be decoded. A pure state machine: no lock, no task.
///
/// ### Transitions
/// | event | result |
/// |---|---|
/// | `runBegan`, `runEnded` | the cell is idle while it does not run; a refusal stays visible |
/// | `linked` | the link of the loop is shown |
/// | `loaded` | the cell is ready, for good |
/// | `failed` | a live link is shown as stale, from now on |
/// | `decoded` | the key has no problem any more |
package struct LinkState: Sendable {
  /// Whether the first load has come.
  package enum Readiness: Hashable, Sendable {
    case waiting, loaded
    case refused(String)
  }

  private struct Problem: Sendable {
    let since: ContinuousClock.Instant
    let reason: String
  }

  private var runs = 0
  private var loop = SharedLink.connecting
  private var isLoaded = false
  private var problems: [String: Problem] = [:]

  /// Creates the link of a cell that does not run.
  package init() {}

  package mutating func runBegan() {
    runs += 1
    if runs == 1 { loop = .connecting }
  }

  package mutating func runEnded() { runs -= 1 }

  package mutating func linked(_ link: SharedLink) { loop = link }

  package mutating func loaded() { isLoaded = true }

  package mutating func failed(_ key: String, _ reason: String, at instant: ContinuousClock.Instant) {
    problems[key] = Problem(since: problems[key]?.since ?? instant, reason: reason)
  }

  /// The value of a key was decoded, or removed. Returns whether the key had a problem.
  package mutating func decoded(_ key: String) -> Bool { problems.removeValue(forKey: key) != nil }

  /// Whether a loop follows the entries.
  package var isFollowed: Bool { runs > 0 }

  /// Whether what is held is current, as far as the loop knows.
  package var isCurrent: Bool { runs > 0 && isLoaded && loop == .live }

  /// The link to show.
  package var link: SharedLink {
    if case .ended = loop { return loop }
    if runs == 0 { return .idle }
    guard loop == .live, let first = problems.min(by: { $0.key < $1.key })?.value else { return loop }
    return .stale(since: first.since, reason: first.reason)
  }

  /// Whether the first load has come.
  package var readiness: Readiness {
    if isLoaded { return .loaded }
    if case .ended(let reason) = loop { return .refused(reason) }
    return .waiting
  }
}
