import ActorBindings

/// W12: 10,000 owners die.
enum Dying {
  static let workloads = [bagged, weak]

  /// An owner that ends its observation itself.
  private final class Bagged {
    let bag = DisposeBag()
  }

  /// An owner that ends its observation itself, by hand-written code.
  private final class Tokened {
    let token: RegistryToken

    init(_ token: RegistryToken) {
      self.token = token
    }
  }

  /// The objects of `Bagged`, with nothing to cancel: an owner, its bag, the bag's array, a token, and what the token
  /// holds.
  private final class Loaded {
    private let bag: Bag

    init() {
      bag = Bag(Token(Observation()))
    }

    private final class Bag {
      private let contents: [Token]

      init(_ token: Token) {
        contents = [token]
      }
    }

    private final class Token: Sendable {
      private let observation: Observation

      init(_ observation: Observation) {
        self.observation = observation
      }
    }

    /// An object as large as an observation of the library.
    private final class Observation: Sendable {
      private let room = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    }
  }

  /// An owner that is only held weakly.
  private final class Owner: Sendable {}

  private static let bagged = Workload(
    "W12.bag",
    "Owners die, and their bags with them",
    per: "owner",
    comparedTo: "token in deinit, dictionary",
    [
      .ours("bag", 100_000, .nanoseconds(250)) { n in
        let cell = BindableActor(0)
        let pumped = PumpedContext()
        return try await deaths(of: n) {
          let owner = Bagged()
          cell.observe(on: pumped.context) { _ in }.store(in: owner.bag)
          return owner
        } after: {
          pumped.run()
        } noticing: {
          pumped.run()
          try expect(cell.observerCount, equals: 0, "observers that are left")
        }
      },
      .baseline("token in deinit, dictionary", 100_000) { n in
        let registry = Registry()
        return try await deaths(of: n) {
          Tokened(RegistryToken(registry) { _ in })
        } noticing: {
          try expect(registry.count, equals: 0, "observers that are left")
        }
      },
      .baseline("the objects alone", 100_000) { n in
        weak var first: Loaded?
        return try await deaths(of: n) {
          let owner = Loaded()
          if first == nil { first = owner }
          return owner
        } noticing: {
          try expect(first == nil, "an owner that is left")
        }
      },
    ]
  )

  // Makes ten thousand objects at a time, and times only their deallocation.
  private static func deaths<Mortal>(
    of n: Int,
    _ birth: () -> Mortal,
    after settle: () -> Void = {},
    noticing check: () throws -> Void
  ) async throws -> Sample {
    var total = Duration.zero
    for round in stride(from: 0, to: n, by: 10_000) {
      var mortals = (round..<min(n, round + 10_000)).map { _ in birth() }
      settle()
      total += timed { mortals.removeAll() }.duration
      try check()
    }
    return Sample(duration: total)
  }

  private static let weak = Workload(
    "W12.weak",
    "The next update, after owners died that were only held weakly",
    per: "dead owner",
    comparedTo: "array of weak references",
    [
      .ours("update", 100_000, .nanoseconds(80)) { n in
        let cell = BindableActor(0)
        var total = Duration.zero
        for round in stride(from: 0, to: n, by: 10_000) {
          var owners = (round..<min(n, round + 10_000)).map { _ in Owner() }
          for owner in owners { cell.observe(owner, on: .cell) { _, _ in } }
          await cell.settled()
          owners.removeAll()
          let stopwatch = Stopwatch()
          await cell.update(round)
          total += stopwatch.sample.duration
          try expect(cell.observerCount, equals: 0, "observers that are left")
        }
        return Sample(duration: total)
      },
      .baseline("array of weak references", 100_000) { n in
        var total = Duration.zero
        for round in stride(from: 0, to: n, by: 10_000) {
          var owners = (round..<min(n, round + 10_000)).map { _ in Owner() }
          var links = owners.map { WeakLink(owner: $0) { _, _ in } }
          owners.removeAll()
          total +=
            timed {
              links.removeAll { link in
                guard let owner = link.owner else { return true }
                link.handler(owner, round)
                return false
              }
            }.duration
          try expect(links.count, equals: 0, "observers that are left")
        }
        return Sample(duration: total)
      },
      .baseline("objects with weak references", 100_000) { n in
        var total = Duration.zero
        for round in stride(from: 0, to: n, by: 10_000) {
          var owners = (round..<min(n, round + 10_000)).map { _ in Owner() }
          var links = owners.map { WeakObject(WeakLink(owner: $0) { _, _ in }) }
          owners.removeAll()
          total +=
            timed {
              links.removeAll { link in
                guard let owner = link.link.owner else { return true }
                link.link.handler(owner, round)
                return false
              }
            }.duration
          try expect(links.count, equals: 0, "observers that are left")
        }
        return Sample(duration: total)
      },
    ]
  )

  private struct WeakLink {
    weak var owner: Owner?
    let handler: (Owner, Int) -> Void
  }

  /// One object for each owner, which a token and a list could hold.
  private final class WeakObject {
    let link: WeakLink

    init(_ link: WeakLink) {
      self.link = link
    }
  }
}
