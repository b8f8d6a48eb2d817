import ActorBindings
import Testing

@Suite
struct PricesExample {
  @Test
  func `a reader that applies each change has the cell's value`() async {
    // README
    let prices = BindableDictionary(["ACME": 12.0, "INIT": 40])

    // First all of it, then the changes: a copy to which they are applied equals the cell's value.
    let mirror = Task {
      var mine: [String: Double] = [:]
      for await change in prices.changes(backlog: .latest) { mine.apply(change) }
      return mine
    }

    // Woken only when this key is written.
    let token = prices.source(forKey: "ACME").observe(on: .main) { price in print("ACME:", price ?? 0) }

    prices.set(12.5, forKey: "ACME")
    prices.finish()
    print(await mirror.value)  // ACME 12.5, INIT 40
    token.cancel()

    let board = BindableArray(["milk", "tea"])
    board.modify { $0.move(from: 1, to: 0) }  // followers receive one move
    // end
    #expect(await mirror.value == ["ACME": 12.5, "INIT": 40])
    #expect(Array(board.value) == ["tea", "milk"])
  }
}
