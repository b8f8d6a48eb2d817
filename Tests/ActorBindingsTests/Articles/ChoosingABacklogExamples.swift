import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `ChoosingABacklog`; the suite `ArticleTests` compares the two.

@Suite
struct ChoosingABacklogExamples {
  private let prices = BindableActor(10)
  private let bag = DisposeBag()

  final class Metrics: Sendable {
    let count = Counter()

    func lost(_ updates: Int) { count.add(updates) }
  }

  @Test
  func `each reader has its own`() async {
    let (tail, orders) = (BindableActor("a"), BindableActor(1))
    let (audit, recorded) = (DispatchQueue(label: "audit"), Recorder<Int>())
    @Sendable func record(_ order: Int) { recorded.record(order) }
    var (shown, printed): ([Int], [String]) = ([], [])
    func show(_ price: Int) { shown.append(price) }
    func print(_ line: String) { printed.append(line) }
    prices.finish()
    tail.finish()
    // article
    for await price in prices.values { show(price) }  // .latest
    for await line in tail.values(backlog: .bounded(100)) { print(line) }
    orders.observe(on: .queue(audit), backlog: .unbounded) { record($0) }
      .store(in: bag)
    // end
    #expect(shown == [10])
    #expect(printed == ["a"])
    for order in 2...5 { orders.send(order) }
    await orders.settled()
    #expect(recorded.elements == Array(1...5))
  }

  @Test
  func `what was missed`() async {
    let metrics = Metrics()
    var shown: [Int] = []
    // Is busy with the first price while four others are sent.
    func show(_ price: Int) {
      if shown.isEmpty { for price in 11...14 { prices.send(price) } } else { prices.finish() }
      shown.append(price)
    }
    // article
    for await update in prices.updates() {
      if update.skipped > 0 { metrics.lost(update.skipped) }
      show(update.value)
    }
    // end
    #expect(shown == [10, 14])
    #expect(metrics.count.value == 3)
  }

  @Test
  func `where a stream begins`() async {
    let cell = BindableActor(0)
    let printed = Recorder<Int>()
    @Sendable func print(_ value: Int) { printed.record(value) }
    // article
    let all = cell.values(backlog: .unbounded)
    Task { for await value in all { print(value) } }
    cell.send(1)  // not missed, even if the task has not begun
    // end
    cell.finish()
    await printed.reached(2)
    #expect(printed.elements == [0, 1])
  }
}
