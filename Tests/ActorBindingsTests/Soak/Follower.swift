import ActorBindings

/// Checks each element of a reader against the previous elements.
final class Follower: Sendable {
  private let citizen: Census.Citizen
  private let backlog: Backlog
  private let figures: Figures
  private let last = Guarded<UInt64?>(nil)

  init(_ backlog: Backlog, _ citizen: Census.Citizen, _ figures: Figures) {
    self.backlog = backlog
    self.citizen = citizen
    self.figures = figures
  }

  var lastSeen: UInt64? { last.withLock { $0 } }

  func sees(_ update: Update<Town.Parcel>) {
    figures.deliveries.add()
    let previous = last.withLock { last in
      defer { last = update.version }
      return last
    }
    guard let previous else {
      figures.expect(update.isInitial == (update.skipped == 0), "G5 a first element")
      return
    }
    figures.expect(update.version > previous, "G2 versions rise")
    guard update.version > previous else { return }
    figures.expect(update.version - previous - 1 == UInt64(update.skipped), "G5 a loss is counted")
    if backlog == .unbounded { figures.expect(update.skipped == 0, "G4 nothing is lost") }
  }
}

/// The counts of a soak, and the promises that were broken.
final class Figures: Sendable {
  let rounds = Counter()
  let writes = Counter()
  let readers = Counter()
  let deliveries = Counter()
  private let broken = Guarded<[String: Int]>([:])

  func expect(_ condition: Bool, _ promise: String) {
    if !condition { broken.withLock { $0[promise, default: 0] += 1 } }
  }

  var brokenPromises: [String: Int] { broken.withLock { $0 } }

  var description: String {
    "\(rounds.value) rounds, \(writes.value) writes, \(readers.value) readers, \(deliveries.value) deliveries"
  }
}
