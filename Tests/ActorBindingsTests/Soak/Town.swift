import ActorBindings
import Synchronization

/// The world of a soak: some cells, contexts for observers, and counts of everything.
///
/// Rounds of random work run in a town. After each round, the town is at rest: writers are done, all readers of the
/// round have left, and the number of living objects is known exactly.
final class Town: Sendable {
  typealias House = BindableActor<Parcel>

  /// The value of the cells: a number, and an object that is counted while it is alive.
  struct Parcel: Sendable, Equatable {
    let number: Int
    let citizen: Census.Citizen

    static func == (one: Parcel, other: Parcel) -> Bool { one.number == other.number }
  }

  let parcels = Census()
  let followers = Census()
  let owners = Census()
  let figures = Figures()

  let queue = Station()
  let concurrentQueue = Station(isConcurrent: true)
  let executor = Station()
  let serialExecutor = Station()

  private let houses: Guarded<[House]>

  /// One cell that is never replaced, with readers that never leave.
  let townHall: House
  private let steadyFollowers: [Follower]
  private let steadyTokens: [BindingToken]
  private let steadyLoops: [Task<Void, Never>]

  init() {
    let townHall = House(Parcel(number: 0, citizen: parcels.citizen()))
    let (parcels, followers, figures) = (parcels, followers, figures)
    houses = Guarded((0..<4).map { House(Parcel(number: $0, citizen: parcels.citizen())) })
    self.townHall = townHall
    let contexts: [DeliveryContext] = [.cell, .main, .queue(queue.queue), .queue(concurrentQueue.queue)]
    let backlogs: [Backlog] = [.latest, .bounded(5), .unbounded, .unbounded]
    let observers = backlogs.map { Follower($0, followers.citizen(), figures) }
    steadyTokens = zip(contexts, zip(backlogs, observers)).map { context, reader in
      townHall.versioned().observe(on: context, backlog: reader.0) { reader.1.sees($0) }
    }
    let readers = backlogs.map { Follower($0, followers.citizen(), figures) }
    steadyLoops = zip(backlogs, readers).map { backlog, reader in
      let stream = townHall.updates(backlog: backlog)
      return Task { for await update in stream { reader.sees(update) } }
    }
    steadyFollowers = observers + readers
  }

  deinit {
    townHall.finish()
  }
}

extension Town {
  func parcel() -> Parcel {
    Parcel(number: .random(in: 0..<1_000), citizen: parcels.citizen())
  }

  func follower(_ backlog: Backlog) -> Follower {
    Follower(backlog, followers.citizen(), figures)
  }

  /// Returns the current cell at an index.
  func someHouse() -> House {
    houses.withLock { $0[.random(in: 0..<$0.count)] }
  }

  /// Replaces a cell by a new one, and returns the old one.
  func rebuild() -> House {
    var house = House(parcel())
    houses.withLock { swap(&$0[.random(in: 0..<$0.count)], &house) }
    return house
  }

  func someBacklog() -> Backlog {
    switch Int.random(in: 0..<4) {
    case 0: .latest
    case 1: .bounded(.random(in: 1...3))
    case 2: .bounded(.random(in: 4...50))
    default: .unbounded
    }
  }

  func someContext() -> DeliveryContext {
    let station = queue
    return switch Int.random(in: 0..<10) {
    case 0: .queue(queue.queue)
    case 1: .queue(concurrentQueue.queue)
    case 2: .cell
    case 3: .main
    case 4: .taskExecutor(executor)
    case 5: .serialExecutor(serialExecutor)
    case 6: DeliveryContext(id: "an event loop") { station.run($0) }
    case 7: .immediate
    case 8: DeliveryContext(id: Int.random(in: 0..<100)) { station.run($0) }
    default: DeliveryContext(id: "an event loop that drops work") { if Bool.random() { station.run($0) } }
    }
  }
}

// MARK: - At rest

extension Town {
  /// Waits until all readers that have left are removed, and returns nil. Returns a description of what remains if that
  /// takes longer than a minute.
  func rest() async -> String? {
    let all = houses.withLock { $0 }
    func isForgotten() -> Bool {
      parcels.alive == all.count + 1 && followers.alive == steadyFollowers.count && owners.alive == 0
        && all.allSatisfy { $0.observerCount == 0 }
    }
    let deadline = ContinuousClock.now + .seconds(60)
    while !isForgotten(), ContinuousClock.now < deadline {
      // A dead owner is noticed at the first update after its death, and its last call may have kept it alive until
      // now.
      for house in all {
        house.send(parcel())
        await house.settled()
      }
      await giveWay()
    }
    let areSteady = await comesTrue { steadyFollowers.allSatisfy { $0.lastSeen == townHall.version } }
    if isForgotten(), areSteady, townHall.observerCount == steadyFollowers.count { return nil }
    return """
      \(parcels.alive) values live, of \(all.count + 1) cells; \(followers.alive) handlers and loops, of \
      \(steadyFollowers.count); \(owners.alive) owners, of 0; cells count \(all.map(\.observerCount)) observers, and \
      the steady one \(townHall.observerCount); its readers have seen \(steadyFollowers.map(\.lastSeen)) of \
      \(townHall.version)
      """
  }

  /// Ends the readers that stay for all rounds too.
  func close() async {
    townHall.finish()
    for loop in steadyLoops { await loop.value }
  }
}

/// Whether `condition` becomes true within a minute. Other tasks run meanwhile.
func comesTrue(_ condition: () -> Bool) async -> Bool {
  let deadline = ContinuousClock.now + .seconds(60)
  while !condition() {
    guard ContinuousClock.now < deadline else { return false }
    await giveWay()
  }
  return true
}
