/// The link of a shared cell: of its loop, unless a value cannot be decoded, or a write waits for the store. A pure state
/// machine: no lock, no task.
///
/// ### Transitions
/// | event | result |
/// |---|---|
/// | `runBegan` | the cell connects, if it did not run or the store had refused |
/// | `runEnded` | the cell is idle if no other run goes on; a refusal stays visible |
/// | `linked` | the link of the loop is shown |
/// | `loaded` | the cell is ready, for good |
/// | `failed` | a live link is shown as stale, from now on |
/// | `decoded` | the key has no problem any more |
/// | `requestFailed` | a live or idle link is shown as stale, from the first failure on |
/// | `requestAnswered` | the request has no problem any more |
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
  private var problems: [StoreKey: Problem] = [:]
  private var requests: [UInt64: Problem] = [:]

  /// Creates the link of a cell that does not run.
  package init() {}

  package mutating func runBegan() {
    runs += 1
    if case .ended = loop { loop = .connecting } else if runs == 1 { loop = .connecting }
  }

  /// A run has ended.
  ///
  /// - Parameter refusal: Why the store has refused; nil if the run was cancelled. If another run goes on, it may have
  ///   begun after the refusal, and the loop tells it the link.
  package mutating func runEnded(refusal: String? = nil) {
    runs -= 1
    if runs == 0, let refusal { loop = .ended(reason: refusal) }
  }

  package mutating func linked(_ link: SharedLink) { loop = link }

  package mutating func loaded() { isLoaded = true }

  package mutating func failed(_ key: String, _ reason: String, at instant: ContinuousClock.Instant) {
    let key = StoreKey(key)
    problems[key] = Problem(since: problems[key]?.since ?? instant, reason: reason)
  }

  /// The value of a key was decoded, or removed. Returns whether the key had a problem.
  package mutating func decoded(_ key: String) -> Bool {
    problems.removeValue(forKey: StoreKey(key)) != nil
  }

  /// The store did not answer a request of a write, again.
  package mutating func requestFailed(_ id: UInt64, _ reason: String, at instant: ContinuousClock.Instant) {
    requests[id] = Problem(since: requests[id]?.since ?? instant, reason: reason)
  }

  /// The store has answered a request, or its caller does not wait any more. Returns whether the request had failed.
  package mutating func requestAnswered(_ id: UInt64) -> Bool { requests.removeValue(forKey: id) != nil }

  /// Whether a loop follows the entries.
  package var isFollowed: Bool { runs > 0 }

  /// Whether what is held is current, as far as the loop knows.
  package var isCurrent: Bool { runs > 0 && isLoaded && loop == .live }

  /// The link to show.
  package var link: SharedLink {
    if case .ended = loop { return loop }
    let request = requests.min { $0.key < $1.key }?.value
    if runs == 0 { return request.map(Self.stale) ?? .idle }
    guard loop == .live, let first = request ?? problems.min(by: { $0.key < $1.key })?.value else {
      return loop
    }
    return Self.stale(first)
  }

  private static func stale(_ problem: Problem) -> SharedLink {
    .stale(since: problem.since, reason: problem.reason)
  }

  /// Whether the first load has come.
  package var readiness: Readiness {
    if isLoaded { return .loaded }
    if case .ended(let reason) = loop { return .refused(reason) }
    return .waiting
  }
}
