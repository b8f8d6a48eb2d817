import ActorBindings
import Testing

/// Owners that die while there are no writes.
@Suite
struct SweepTests {
  private final class Owner: Sendable {}

  @Test
  func `on a cell that is never written, dead observations do not outnumber the others by much`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    let alive = (0..<10).map { _ in Owner() }
    alive.forEach { cell.observe($0, on: context.delivery) { _, _ in } }
    for _ in 0..<5_000 {
      cell.observe(Owner(), on: context.delivery) { _, _ in }
      context.run()
      #expect(cell.observerCount <= 10 + 2 * 65)
    }
    withExtendedLifetime(alive) {}
  }

  @Test
  func `many observations whose owners died at once are removed soon`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    var owners = (0..<5_000).map { _ in Owner() }
    owners.forEach { cell.observe($0, on: context.delivery) { _, _ in } }
    context.run()
    #expect(cell.observerCount == 5_000)
    owners = []
    var most = 0
    for joined in 0..<20_000 {
      cell.observe(Owner(), on: context.delivery) { _, _ in }
      context.run()
      if joined >= 15_000 { most = max(most, cell.observerCount) }
    }
    #expect(most <= 2 * 65)
  }

  @Test
  func `a sweep ends observations on their context, and cancels them`() {
    let cell = BindableActor(0)
    let (quiet, busy) = (ManualContext(), ManualContext())
    let token = cell.observe(Owner(), on: quiet.delivery) { _, _ in }
    let living = Owner()
    let other = cell.observe(living, on: quiet.delivery) { _, _ in }
    quiet.run()
    #expect(token.isCancelled)
    var later: Owner? = Owner()
    let dead = later.map { cell.observe($0, on: quiet.delivery) { _, _ in } }
    quiet.run()
    later = nil
    for _ in 0..<200 {
      cell.observe(Owner(), on: busy.delivery) { _, _ in }
      busy.run()
    }
    #expect(quiet.pending == 1)
    #expect(dead?.isCancelled == false)
    quiet.run()
    #expect(dead?.isCancelled == true)
    #expect(!other.isCancelled)
    withExtendedLifetime(living) {}
  }

  @Test
  func `an owner's death is noticed at the next delivery`() {
    let cell = BindableActor(0)
    let context = ManualContext()
    var owner: Owner? = Owner()
    let calls = Recorder<Int>()
    let token = owner.map { cell.observe($0, on: context.delivery) { calls.record($1) } }
    context.run()
    owner = nil
    #expect(cell.observerCount == 1)
    cell.send(1)
    context.run()
    #expect(cell.observerCount == 0)
    #expect(token?.isCancelled == true)
    #expect(calls.elements == [0])
    cell.send(2)
    #expect(context.pending == 0)
  }

  @Test
  func `the observations of a dead actor are swept too`() async {
    actor Owner {}
    let cell = BindableActor(0)
    let seen = Recorder<Int>()
    do {
      let owner = Owner()
      cell.observe(with: owner) { seen.record($1) }
      await cell.settled()
    }
    let context = ManualContext()
    for _ in 0..<200 {
      cell.observe(on: context.delivery) { _ in }.cancel()
    }
    await cell.settled()
    #expect(cell.observerCount == 0)
    #expect(seen.elements == [0])
  }

  @Test
  func `observations of a living actor survive a sweep and a rejected update`() async {
    let cell = BindableActor(0)
    let worker = Worker()
    let token = cell.filter { $0 != 1 }.observe(with: worker) { $0.record($1) }
    await cell.settled()
    let context = ManualContext()
    for _ in 0..<200 { cell.observe(on: context.delivery) { _ in }.cancel() }
    await cell.settled()
    cell.send(1)
    await cell.settled()
    #expect(!token.isCancelled)
    cell.send(2)
    await cell.settled()
    #expect(await worker.elements == [0, 2])
  }

  @Test
  func `an observation that its token keeps is swept when the actor on whose isolation it runs dies`() async {
    let cell = BindableActor(0)
    weak var gone: Worker?
    let token: BindingToken
    do {
      let worker = Worker()
      gone = worker
      token = await worker.run { worker in cell.observe(isolation: worker) { _ in } }
      await cell.parked(1)
    }
    await eventually { gone == nil }
    let context = ManualContext()
    for _ in 0..<200 { cell.observe(on: context.delivery) { _ in }.cancel() }
    #expect(token.isCancelled)
  }

  @Test(arguments: [false, true])
  func `a sweep is scheduled only on contexts that may have observations with dead owners`(hasOwner: Bool) {
    let cell = BindableActor(0)
    let (quiet, busy) = (ManualContext(), ManualContext())
    let owner = Owner()
    if hasOwner { cell.observe(owner, on: quiet.delivery) { _, _ in } }
    let token = cell.observe(on: quiet.delivery) { _ in }
    quiet.run()
    for _ in 0..<200 { cell.observe(on: busy.delivery) { _ in }.cancel() }
    #expect(quiet.pending == (hasOwner ? 1 : 0))
    withExtendedLifetime((owner, token)) {}
  }

  @Test(arguments: [false, true])
  func `a new actor at the address of a dead one: the observations of the dead one end`(
    isServed: Bool
  ) async {
    actor Mayfly {
      func observe(_ cell: BindableActor<Int>, _ handler: @escaping (Int) -> Void) -> BindingToken {
        cell.observe(handler)
      }
    }
    // Tries this repeatedly, because a new actor does not always get the address of the dead actor.
    for _ in 0..<100 {
      let cell = BindableActor(0)
      let address: ObjectIdentifier
      let old: BindingToken
      weak var gone: Mayfly?
      do {
        let mayfly = Mayfly()
        gone = mayfly
        address = ObjectIdentifier(mayfly)
        old = cell.observe(with: mayfly) { _, _ in }
        await cell.parked(1)
      }
      await eventually { gone == nil }
      let born = (0..<10).map { _ in Mayfly() }
      guard let successor = born.first(where: { ObjectIdentifier($0) == address }) else { continue }
      let seen = Recorder<Int>()
      let token =
        isServed
        ? await successor.observe(cell) { seen.record($0) }
        : cell.observe(with: successor) { seen.record($1) }
      #expect(old.isCancelled)
      await seen.reached(1)
      #expect(cell.observerCount == 1)
      #expect(cell.cell.locked { $0.delivererTable.count } == 1)
      token.cancel()
      return
    }
  }

  @Test
  func `a sweep that finds many dead owners is interrupted, and continues in the next turn`() {
    let cell = BindableActor(0)
    let (jobs, busy) = (ManualContext(), ManualContext())
    let time = Counter()
    // Each reading of the clock finds that a millisecond has passed.
    let context = DeliveryContext(
      id: ObjectIdentifier(jobs),
      now: { UInt64(time.add(1_000_000)) },
      schedule: { [jobs] in jobs.add($0) }
    )
    var owners = (0..<50).map { _ in Owner() }
    owners.forEach { cell.observe($0, on: context) { _, _ in } }
    jobs.run()
    owners = []
    for _ in 0..<100 { cell.observe(on: busy.delivery) { _ in }.cancel() }
    #expect(jobs.pending == 1)
    jobs.runOne()
    #expect(jobs.pending == 1)
    #expect((1..<50).contains(cell.observerCount))
    jobs.run()
    #expect(cell.observerCount == 0)
  }

  // MARK: combinations

  /// Where an observation begins, and where the sweep that it starts finds a dead owner.
  enum Reach: CaseIterable {
    case fromCombinationToCell
    case fromCellToCombination
    case fromCombinationWithRelayToSource
  }

  @Test(arguments: Reach.allCases)
  func `observations of a combination and of its cells start sweeps for each other`(reach: Reach) {
    let (cell, other) = (BindableActor(0), BindableActor(0))
    let (quiet, busy) = (ManualContext(), ManualContext())
    let relay = cell.throttle(for: .seconds(3), clock: ManualClock())
    var owner: Owner? = Owner()
    let dead = owner.map { owner in
      switch reach {
      case .fromCellToCombination:
        combineLatest(cell, other).observe(owner, on: quiet.delivery) { _, _ in }
      case .fromCombinationToCell, .fromCombinationWithRelayToSource:
        cell.observe(owner, on: quiet.delivery) { _, _ in }
      }
    }
    quiet.run()
    owner = nil
    #expect(quiet.pending == 0)
    let tokens = (0..<100).map { _ in
      switch reach {
      case .fromCombinationToCell: combineLatest(cell, other).observe(on: busy.delivery) { _ in }
      case .fromCellToCombination: cell.observe(on: busy.delivery) { _ in }
      case .fromCombinationWithRelayToSource:
        combineLatest(other, relay).observe(on: busy.delivery) { _ in }
      }
    }
    #expect(quiet.pending == 1)
    quiet.run()
    #expect(dead?.isCancelled == true)
    tokens.forEach { $0.cancel() }
  }
}
