import ActorBindings
import Testing

/// Tests G9 behind operators that have a cell of their own: owners die while there are no writes.
@Suite
struct RelayOwnerTests {
  private final class Owner: Sendable {}

  enum Chain: CaseIterable {
    case debounce
    case throttle
    case flatMapLatest
    /// Each observation has an outer source of its own.
    case flatMapLatestOfOneInner
    case debounceOfCombination
    case throttleOfThrottle
    case combinationWithThrottle

    func source(_ cell: BindableActor<Int>, _ clock: ManualClock) -> any BindingSource<Int> {
      switch self {
      case .debounce: cell.debounce(for: .seconds(3), clock: clock)
      case .throttle: cell.throttle(for: .seconds(3), clock: clock)
      case .flatMapLatest: cell.flatMapLatest { BindableActor($0) }
      case .flatMapLatestOfOneInner: BindableActor(0).flatMapLatest { _ in cell }
      case .debounceOfCombination:
        combineLatest(cell, cell.map { -$0 }).map { $0 + $1 }
          .debounce(for: .seconds(3), clock: clock)
      case .throttleOfThrottle:
        cell.throttle(for: .seconds(3), clock: clock).throttle(for: .seconds(3), clock: clock)
      case .combinationWithThrottle:
        combineLatest(cell, cell.throttle(for: .seconds(3), clock: clock)).map { $0 + $1 }
      }
    }
  }

  @Test(arguments: Chain.allCases)
  func `G9 dead observations behind a relay do not outnumber the others by much`(chain: Chain) async {
    let (cell, clock, context) = (BindableActor(0), ManualClock(), ManualContext())
    let round = stressed(500)
    var (most, lanes) = (0, 0)
    for _ in 0..<6 {
      var owners: [Owner] = []
      for _ in 0..<round {
        let owner = Owner()
        owners.append(owner)
        observe(chain.source(cell, clock), owner, on: context)
        context.run()
      }
      // Yields and pumps instead of calling `settled()`, which would wait for observers on a context that only this
      // loop runs.
      for _ in 0..<50 {
        await giveWay()
        context.run()
      }
      most = max(most, cell.observerCount)
      lanes = max(lanes, cell.cell.locked { $0.delivererTable.count })
      withExtendedLifetime(owners) {}
    }
    // A combination with a relay reads the cell twice.
    let readings = chain == .combinationWithThrottle ? 2 : 1
    #expect(most <= 2 * (round + 65) * readings)
    #expect(lanes <= 2 * (round + 65))
    // A relay that reads the cell may hold it, so the observations of the last owners would stay until a write.
    cell.finish()
    await eventually {
      context.run()
      return cell.observerCount == 0
    }
  }

  @Test
  func `G9 dead observations of relays that switch to one source do not outnumber others by much`() async {
    let (first, second, context) = (BindableActor(0), BindableActor(0), ManualContext())
    let round = 100
    var most = 0
    // They live on: the end of an outer source would make its relay look for dead owners.
    var outers: [BindableActor<Int>] = []
    for _ in 0..<6 {
      var owners: [Owner] = []
      for _ in 0..<round {
        let (owner, outer) = (Owner(), BindableActor(0))
        owners.append(owner)
        outers.append(outer)
        observe(outer.flatMapLatest { $0 == 0 ? first : second }, owner, on: context)
        outer.send(1)
        await outer.settled()
        context.run()
      }
      most = max(most, second.observerCount)
      withExtendedLifetime(owners) {}
    }
    #expect(most <= 2 * (round + 65))
    #expect(first.observerCount == 0)
    withExtendedLifetime(outers) {}
  }

  private func observe(_ source: some BindingSource<Int>, _ owner: Owner, on context: ManualContext) {
    source.observe(owner, on: context.delivery) { _, _ in }
  }

  @Test
  func `a relay with any number of readers counts as one reader of its source`() async {
    let (cell, context) = (BindableActor(0), ManualContext())
    let source = cell.throttle(for: .seconds(1_000))
    let tokens = (0..<5).map { _ in source.observe(on: context.delivery) { _ in } }
    #expect(cell.observerCount == 1)
    await cell.settled()
    #expect(cell.observerCount == 1)
    tokens.forEach { $0.cancel() }
    #expect(cell.observerCount == 0)
  }
}
