import ActorBindings
import Testing

@Suite
struct ContextIdentityTests {
  /// An id that counts how often ids of its test are hashed, and compared with each other. Tests run at once and
  /// contexts are registered for the whole process: therefore ids with different counters are never equal, and a
  /// comparison of two such ids counts for neither test.
  private final class Id: Hashable, Sendable {
    let number: Int
    let hash: Int
    let looks: Guarded<Int>
    let mortal: Mortal

    init(_ number: Int, hash: Int? = nil, looks: Guarded<Int>, _ mortal: Mortal) {
      self.number = number
      self.hash = hash ?? number
      self.looks = looks
      self.mortal = mortal
    }

    static func == (one: Id, other: Id) -> Bool {
      guard one.looks === other.looks else { return false }
      one.looks.withLock { $0 += 1 }
      return one.number == other.number
    }

    func hash(into hasher: inout Hasher) {
      looks.withLock { $0 += 1 }
      hasher.combine(hash)
    }
  }

  @Test
  func `the cost of a new id does not depend on the number of ids`() {
    let looks = Guarded(0)
    let mortal = Mortal {}
    let contexts = (0..<2000).map { number in
      DeliveryContext(id: Id(number, looks: looks, mortal)) { $0() }
    }
    #expect(contexts.count == 2000)
    #expect(looks.withLock { $0 } <= 10 * 2000)
  }

  @Test
  func `ids with one hash are compared as often as in a set`() {
    for count in [100, 400] {
      let (looks, looksOfSet) = (Guarded(0), Guarded(0))
      let mortal = Mortal {}
      let contexts = (0..<count).map { number in
        DeliveryContext(id: Id(number, hash: 7, looks: looks, mortal)) { $0() }
      }
      var ids: Set<Id> = []
      for number in 0..<count { ids.insert(Id(number, hash: 7, looks: looksOfSet, mortal)) }
      #expect(contexts.count == ids.count)
      #expect(looks.withLock { $0 } <= looksOfSet.withLock { $0 } + 2 * count)
    }
  }

  @Test
  func `ids with one hash are forgotten in any order, and each is released`() {
    let dead = Counter()
    let looks = Guarded(0)
    func id(_ number: Int) -> Id { Id(number, hash: 8, looks: looks, Mortal { dead.add() }) }
    var contexts: [DeliveryContext?] = (0..<9).map { number in DeliveryContext(id: id(number)) { $0() } }
    for (count, index) in [4, 0, 8, 7].enumerated() {
      contexts[index] = nil
      #expect(dead.value == count + 1)
    }
    // The registry still knows the remaining ids.
    let cell = BindableActor(0)
    for index in [1, 2, 3, 5, 6] {
      let token = cell.observe(on: contexts[index]!) { _ in }
      let same = cell.observe(on: DeliveryContext(id: id(index)) { $0() }) { _ in }
      #expect(cell.cell.locked { $0.delivererTable.count } == 1)
      token.cancel()
      same.cancel()
    }
  }

  @Test
  func `an id is released with its last context`() {
    let dead = Guarded(0)
    var contexts: [DeliveryContext] = []
    do {
      let id = Id(1, looks: Guarded(0), Mortal { dead.withLock { $0 += 1 } })
      contexts = [DeliveryContext(id: id) { $0() }, DeliveryContext(id: id) { $0() }]
    }
    contexts.removeLast()
    #expect(dead.withLock { $0 } == 0)
    contexts.removeLast()
    #expect(dead.withLock { $0 } == 1)
  }

  @Test
  func `equal ids are one context, different ids with the same hash are not`() {
    let looks = Guarded(0)
    let mortal = Mortal {}
    let cell = BindableActor(0)
    let tokens = [1, 2, 1].map { number in
      cell.observe(on: DeliveryContext(id: Id(number, hash: 9, looks: looks, mortal)) { $0() }) { _ in }
    }
    #expect(cell.cell.locked { $0.delivererTable.count } == 2)
    tokens.forEach { $0.cancel() }
  }

  /// An id that calls a closure when it is compared for the first time.
  private struct Curious: Hashable, Sendable {
    let number: Int
    let onLook: Box<@Sendable () -> Void>

    static func == (one: Curious, other: Curious) -> Bool {
      let action = one.onLook.value
      one.onLook.value = nil
      action?()
      return one.number == other.number
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(11)
    }
  }

  @Test
  func `equal ids are one context also if the second is used while the first is looked up`() {
    let onLook = Box<@Sendable () -> Void>()
    let second = Box<DeliveryContext>()
    let neighbour = DeliveryContext(id: Curious(number: 9, onLook: onLook)) { $0() }
    onLook.value = { second.value = DeliveryContext(id: Curious(number: 1, onLook: onLook)) { $0() } }
    let first = DeliveryContext(id: Curious(number: 1, onLook: onLook)) { $0() }
    let cell = BindableActor(0)
    let contexts = [first, second.value, neighbour].compactMap(\.self)
    #expect(contexts.count == 3)
    let tokens = contexts.map { cell.observe(on: $0) { _ in } }
    #expect(cell.cell.locked { $0.delivererTable.count } == 2)
    tokens.forEach { $0.cancel() }
    second.value = nil
  }

  @Test
  func `an id stays known when another id with the same hash is released`() {
    let looks = Guarded(0)
    let mortal = Mortal {}
    let cell = BindableActor(0)
    func context(_ number: Int) -> DeliveryContext {
      DeliveryContext(id: Id(number, hash: 10, looks: looks, mortal)) { $0() }
    }
    let first = context(1)
    _ = context(2)
    let tokens = [first, context(1)].map { cell.observe(on: $0) { _ in } }
    #expect(cell.cell.locked { $0.delivererTable.count } == 1)
    tokens.forEach { $0.cancel() }
  }
}
