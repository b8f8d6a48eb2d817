import ActorBindings
import Testing

@Suite
struct PricesExample {
  @Test
  func `who applies each change has what the cell holds`() async {
    // README
    let prices = BindableDictionary(["ACME": 12.0, "INIT": 40])

    // First the whole, then what changed: whoever applies it has what the cell holds.
    let mirror = Task {
      var mine: [String: Double] = [:]
      for await change in prices.changes(backlog: .latest) { mine.apply(change) }
      return mine
    }

    // Woken when this key is written, and by no other one.
    let token = prices.source(forKey: "ACME").observe(on: .main) { price in print("ACME:", price ?? 0) }

    prices.set(12.5, forKey: "ACME")
    prices.finish()
    print(await mirror.value)  // ACME 12.5, INIT 40
    token.cancel()

    let board = BindableArray(["milk", "tea"])
    board.modify { $0.move(from: 1, to: 0) }  // followers are told of one move
    // end
    #expect(await mirror.value == ["ACME": 12.5, "INIT": 40])
    #expect(Array(board.value) == ["tea", "milk"])
  }
}
