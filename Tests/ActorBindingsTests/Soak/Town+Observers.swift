import ActorBindings

/// An actor that observes, and that is passed to `observe(with:)`.
actor Neighbour {
  private let citizen: Census.Citizen
  private var tokens: [BindingToken] = []

  init(_ citizen: Census.Citizen) {
    self.citizen = citizen
  }

  /// Follows a cell on this actor's own isolation.
  func follow(_ house: Town.House, _ backlog: Backlog, _ follower: Follower, isOwner: Bool) -> BindingToken {
    let updates = house.versioned()
    let token =
      isOwner
      ? updates.observe(self, backlog: backlog) { _, update in follower.sees(update) }
      : updates.observe(backlog: backlog) { follower.sees($0) }
    tokens.append(token)
    return token
  }
}

extension Town {
  private final class Owner: Sendable {
    let citizen: Census.Citizen
    private let name = Guarded(0)

    init(_ citizen: Census.Citizen) {
      self.citizen = citizen
    }

    var number: Int {
      get { name.withLock { $0 } }
      set { name.withLock { $0 = newValue } }
    }
  }

  /// An observation, and all objects that keep it active.
  struct Tenancy: Sendable {
    let house: House
    let token: BindingToken
    var follower: Follower?
    var owner: (any AnyObject & Sendable)?
    var bag: DisposeBag?
  }

  /// Begins observations of every kind. Ends some of them, in every way, and returns the rest.
  func observe(_ steps: Int) async -> [Tenancy] {
    var tenancies: [Tenancy] = []
    for step in 0..<steps {
      if step % 10 == 9 { await Task.yield() }
      guard tenancies.count > 3, Int.random(in: 0..<2) == 0 else {
        tenancies.append(await someTenancy())
        continue
      }
      let index = Int.random(in: 0..<tenancies.count)
      switch Int.random(in: 0..<9) {
      case 0: tenancies.remove(at: index).token.cancel()
      case 1: tenancies[index].token.cancel()
      case 2: await tenancies.remove(at: index).token.cancelAndWait()
      case 3: tenancies[index].bag?.dispose()
      case 4: await tenancies[index].house.settled()
      case 5:
        let house = tenancies[index].house
        let waiting = Task { await house.settled() }
        waiting.cancel()
        await waiting.value
      // Token, owner and bag are released.
      default: tenancies.remove(at: index)
      }
      if tenancies.count > 60 { tenancies.removeFirst(30) }
    }
    return tenancies
  }

  private func someTenancy() async -> Tenancy {
    figures.readers.add()
    let house = someHouse()
    let backlog = someBacklog()
    let context = someContext()
    let updates = house.versioned()
    var tenancy: Tenancy
    switch Int.random(in: 0..<6) {
    case 0:
      let follower = follower(backlog)
      let token = updates.observe(on: context, backlog: backlog) { follower.sees($0) }
      tenancy = Tenancy(house: house, token: token, follower: follower)
    case 1:
      let follower = follower(backlog)
      let owner = Owner(owners.citizen())
      let token = updates.observe(owner, on: context, backlog: backlog) { _, update in follower.sees(update) }
      tenancy = Tenancy(house: house, token: token, follower: follower, owner: owner)
    case 2:
      let follower = follower(backlog)
      let neighbour = Neighbour(owners.citizen())
      let token = updates.observe(with: neighbour, backlog: backlog) { _, update in follower.sees(update) }
      tenancy = Tenancy(house: house, token: token, follower: follower, owner: neighbour)
    case 3:
      let follower = follower(backlog)
      let neighbour = Neighbour(owners.citizen())
      let token = await neighbour.follow(house, backlog, follower, isOwner: .random())
      tenancy = Tenancy(house: house, token: token, follower: follower, owner: neighbour)
    case 4:
      let owner = Owner(owners.citizen())
      let token = house.bind(\.number, to: owner, \.number, on: context, backlog: backlog)
      tenancy = Tenancy(house: house, token: token, owner: owner)
    default: tenancy = Tenancy(house: house, token: echo(house, on: context, backlog))
    }
    if Int.random(in: 0..<3) == 0 {
      let bag = DisposeBag()
      tenancy.token.store(in: bag)
      tenancy.bag = bag
    }
    return tenancy
  }

  // Observes through operators, with a handler that writes a few times.
  private func echo(_ house: House, on context: DeliveryContext, _ backlog: Backlog) -> BindingToken {
    let echoes = Counter(3)
    let citizen = followers.citizen()
    return house.filter { $0.number % 2 == 1 }.map(\.number).removeDuplicates()
      .observe(on: context, backlog: backlog) { [weak house, self] _ in
        withExtendedLifetime(citizen) { _ = figures.deliveries.add() }
        if echoes.add(-1) >= 0 { house?.send(parcel()) }
      }
  }

  /// Checks G3: when writers have stopped, the remaining observations receive the newest value.
  func expectLastValue(_ tenancies: [Tenancy]) async {
    for tenancy in tenancies {
      let (house, token) = (tenancy.house, tenancy.token)
      // A handler that echoes may still write after the last value.
      await house.settled()
      if let follower = tenancy.follower {
        let hasArrived = await comesTrue { token.isCancelled || follower.lastSeen == house.version }
        figures.expect(hasArrived, "G3 an observer has the last value")
      } else if let owner = tenancy.owner as? Owner {
        let hasArrived = await comesTrue { token.isCancelled || owner.number == house.value.number }
        figures.expect(hasArrived, "G3 a binding has the last value")
      }
    }
  }
}
