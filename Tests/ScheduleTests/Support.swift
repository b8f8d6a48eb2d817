#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Synchronization
  import Testing

  /// All scenarios, which run one at a time, because an exploration controls everything that runs.
  @Suite(.serialized)
  enum Schedules {}

  extension Schedules {
    /// Explores a scenario. The tasks of scenarios share cells and no actors: with more points, hardly one scenario could be
    /// explored to its end.
    @discardableResult
    static func explore(
      _ name: String,
      within budget: ExplorationBudget = ExplorationBudget(),
      _ program: @escaping @Sendable (ExplorationWorld) async -> Void
    ) throws(ScheduleFailure) -> ExplorationCoverage {
      try ActorBindingsExplorer.explore(name, within: budget, grain: .coarse, program)
    }
  }

  /// What a scenario records, from any strand.
  final class Log<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    func append(_ element: Element) {
      elements.withLock { $0.append(element) }
    }

    var all: [Element] { elements.withLock { $0 } }
  }

  /// A flag that is set once.
  final class Flag: Sendable {
    private let state = Atomic(false)

    func set() {
      state.store(true, ordering: .sequentiallyConsistent)
    }

    var isSet: Bool { state.load(ordering: .sequentiallyConsistent) }
  }

  /// A holder that keeps an object alive until the holder is emptied.
  final class Holder<Element: AnyObject & Sendable>: Sendable {
    private let element: Mutex<Element?>

    init(_ element: Element) {
      self.element = Mutex(element)
    }

    func withElement<Result>(_ body: (Element) -> Result) -> Result where Result: Sendable {
      let element = element.withLock { $0 }
      guard let element else { preconditionFailure("the holder is empty") }
      return body(element)
    }

    func empty() {
      let last = element.withLock { $0.take() }
      _ = consume last
    }
  }

  extension ExplorationWorld {
    /// Checks that the values of a reader rise.
    func expectRising(_ values: [Int], _ who: String) {
      expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 }, "\(who) saw \(values)")
    }

    /// Checks that nothing is left of former readers.
    func expectForgotten(by cell: BindableActor<Int>, _ name: String) {
      expect(cell.observerCount == 0, "\(name): \(cell.observerCount) count")
      cell.cell.locked { state, roster in
        state.checkInvariants(roster)
        expect(roster.followers.isEmpty, "\(name) has \(roster.followers.count) followers")
        expect(
          roster.delivererTable.count == 0,
          "\(name) has \(roster.delivererTable.count) lanes and relays"
        )
        expect(roster.endWaiterCount == 0, "\(name): \(roster.endWaiterCount) wait for its end")
        expect(roster.idle.members.isEmpty, "\(name): \(roster.idle.members) are parked")
        expect(!state.keepsHistory, "\(name) keeps history without readers")
        expect(state.orderedReaders == 0, "\(name) takes instants without readers")
      }
    }
  }
#endif
