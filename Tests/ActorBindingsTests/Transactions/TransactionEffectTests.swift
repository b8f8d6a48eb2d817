import ActorBindings
import Testing

/// What a transaction does to the cells that it writes, besides their values.
@Suite
struct TransactionEffectTests {
  private let alice = BindableActor(100)
  private let bob = BindableActor(0)

  private func transfer() {
    BindingTransaction.run { transaction in
      transaction[alice] -= 1
      transaction[bob] += 1
    }
  }

  // The instants of the current updates.
  private var instants: [LogicalInstant] {
    [alice, bob].map { $0.cell.locked { state, _ in state.newest } }
  }

  @Test
  func `the writes have one instant, and only while readers compare instants`() {
    // These streams need the log, and no instants.
    let streams = [alice, bob].map { $0.values(backlog: .unbounded) }
    transfer()
    #expect(instants == [.unordered, .unordered])
    for cell in [alice, bob] { cell.cell.locked { state, _ in state.orderedReaderJoined() } }
    transfer()
    let first = instants
    #expect(first[0] == first[1])
    #expect(LogicalInstant.unordered < first[0])
    transfer()
    let second = instants
    #expect(second[0] == second[1])
    #expect(first[0] < second[0])
    withExtendedLifetime(streams) {}
  }

  @Test
  func `a reader without the lock learns of the writes`() {
    transfer()
    #expect(alice.cell.watermark.version == 1)
    #expect(bob.cell.watermark.version == 1)
  }

  @Test
  func `a transaction comes to its cells in the order of their addresses, however many they are`() {
    // Transactions lock the cells in this order, and so do not deadlock. The test sees the order in which the
    // transaction wakes the readers.
    let cells = (0..<40).map { _ in BindableActor(0) }
      .sorted { ObjectIdentifier($0.cell) < ObjectIdentifier($1.cell) }
    let order = Recorder<Int>()
    let waiters = cells.indices.map { index in CountingWaiter { order.record(index) } }
    for (cell, waiter) in zip(cells, waiters) { cell.cell.locked { $0.parked(waiter.waiter) } }
    BindingTransaction.run { transaction in
      for cell in cells { transaction[cell] += 1 }
    }
    #expect(order.elements == Array(cells.indices))
  }

  @Test
  func `an update that no reader wants any more is released after all locks`() {
    let deaths = Counter()
    let cell = BindableActor<Mortal?>(nil)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery, backlog: .bounded(2)) { _ in }
    for _ in 1...5 {
      BindingTransaction.run { transaction in
        // The deinit takes the lock of the cell.
        transaction[cell] = Mortal { [weak cell] in
          _ = cell?.version
          deaths.add()
        }
      }
    }
    #expect(deaths.value == 3)
    withExtendedLifetime(token) {}
  }

  @Test
  func `a transaction that has a claim withdraws it when it takes effect`() {
    var runs = 0
    BindingTransaction.run { transaction in
      runs += 1
      transaction[alice] += 1
      // Another writer wins the race, until the transaction asks for a claim.
      if runs <= Contention.threshold { alice.send(runs) }
      #expect(alice.cell.locked { $0.claim != nil } == (runs > Contention.threshold))
    }
    #expect(runs == Contention.threshold + 1)
    #expect(alice.cell.locked { $0.claim == nil })
  }
}
