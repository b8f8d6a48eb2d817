import ActorBindings
import Testing

@Suite
struct DelivererTableTests {
  private var roster = Roster()
  private var model: [ContextKey: Waiter] = [:]

  @Test(arguments: [1, 2, 3, 8])
  mutating func `any order of joining and leaving leaves what a dictionary would`(keyCount: Int) {
    let waiters = (0..<keyCount + 1).map { _ in CountingWaiter().waiter }
    let keys = [ContextKey.cell] + waiters.dropFirst(2).map { .actor(ObjectIdentifier($0)) }
    var numbers = Numbers(seed: UInt64(keyCount))
    for _ in 0..<1_000 {
      let (key, waiter) = (keys.randomElement(using: &numbers)!, waiters.randomElement(using: &numbers)!)
      if Bool.random(using: &numbers) {
        roster.delivererJoined(waiter, key)
        model[key] = waiter
      } else {
        roster.delivererLeft(waiter, key)
        if model[key] === waiter { model[key] = nil }
      }
      expectEqual(to: model, keys)
    }
  }

  private func expectEqual(to model: [ContextKey: Waiter], _ keys: [ContextKey]) {
    let table = roster.delivererTable
    #expect(keys.allSatisfy { table[$0] === model[$0] })
    #expect(table.count == model.count)
    #expect(Set(table.all.map(ObjectIdentifier.init)) == Set(model.values.map(ObjectIdentifier.init)))
    #expect(table.all.count == model.count)
  }
}
