import ActorBindings
import Testing

/// Tasks move amounts between the cells of a list by transactions, while readers with every backlog come, read and
/// leave. No reader ever sees half of a transaction.
@Suite
struct ListStressTests {
  @Test
  func `no reader of a list sees half of a transaction`() async {
    let cells = (0..<20).map { _ in BindableActor(100) }
    let source = combineLatest(cells)
    let torn = Recorder<Int>()
    @Sendable func check(_ amounts: PersistentArray<Int>) {
      let sum = amounts.reduce(0, +)
      if sum != 2000 { torn.record(sum) }
    }
    let backlogs = [Backlog.latest, .bounded(5), .unbounded]
    let readers = backlogs.map { backlog in
      Task { for await amounts in source.values(backlog: backlog) { check(amounts) } }
    }
    await concurrently(6) { number in
      await repeatedly(stressed(1000)) { round in
        if number < 4 {
          let (payer, payee) = (cells[(round * 7 + number) % 20], cells[(round * 3 + 5 * number + 1) % 20])
          if payer === payee { return }
          BindingTransaction.run { transaction in
            transaction[payer] -= 1
            transaction[payee] += 1
          }
        } else {
          check(source.value)
          let token = source.observe(on: ManualContext().delivery, backlog: backlogs[round % 3]) { _ in }
          token.cancel()
        }
      }
    }
    cells.forEach { $0.finish() }
    for reader in readers { await reader.value }
    #expect(torn.elements == [])
    #expect(cells.allSatisfy { $0.observerCount == 0 && $0.cell.locked { $0.writeObservers == nil } })
  }
}
