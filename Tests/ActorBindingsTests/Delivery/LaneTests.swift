import ActorBindings
import Dispatch
import Testing

/// How observations on one context affect each other.
@Suite
struct LaneTests {
  private let cell = BindableActor(0)
  private let context = ManualContext()
  private let calls = Recorder<String>()

  private func observe(
    _ name: String,
    backlog: Backlog = .latest,
    then: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> BindingToken {
    cell.observe(on: context.delivery, backlog: backlog) { [calls] value in
      calls.record("\(name)\(value)")
      then(value)
    }
  }

  @Test
  func `equal ids share a lane, and are served in the order in which they began`() {
    let tokens = ["a", "b", "c"].map { observe($0) }
    #expect(context.pending == 1)
    context.run()
    cell.send(1)
    #expect(context.pending == 1)
    context.run()
    #expect(calls.elements == ["a0", "b0", "c0", "a1", "b1", "c1"])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `different ids have different lanes, and so have different cells`() {
    let other = ManualContext()
    let cell2 = BindableActor(0)
    let tokens = [
      observe("a"), cell.observe(on: other.delivery) { _ in }, cell2.observe(on: context.delivery) { _ in },
    ]
    #expect(context.pending == 2)
    #expect(other.pending == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `the same queue named twice is one context`() async {
    let queue = DispatchQueue(label: "serial")
    let tokens = (0..<10).map { _ in cell.observe(on: .queue(queue)) { _ in } }
    #expect(cell.cell.locked { $0.delivererTable.count } == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `an observation that an earlier observation of its lane cancels is not called`() {
    let second = Box<BindingToken>()
    let first = observe("a") { if $0 == 1 { second.value?.cancel() } }
    second.value = observe("b")
    let third = observe("c")
    context.run()
    cell.send(1)
    context.run()
    cell.send(2)
    context.run()
    #expect(calls.elements == ["a0", "b0", "c0", "a1", "c1", "a2", "c2"])
    #expect(cell.observerCount == 2)
    withExtendedLifetime([first, third]) {}
  }

  @Test
  func `an observation that was cancelled runs its operators no more`() {
    let second = Box<BindingToken>()
    let first = observe("a") { if $0 == 1 { second.value?.cancel() } }
    let looks = Recorder<Int>()
    second.value = cell.map { [looks] in looks.record($0) }.observe(on: context.delivery) { _ in }
    context.run()
    cell.send(1)
    context.run()
    #expect(looks.elements == [0])
    first.cancel()
    second.value = nil
  }

  @Test
  func `an observation is called though a later one is cancelled in the same pass`() {
    let third = Box<BindingToken>()
    let first = observe("a") { if $0 == 1 { third.value?.cancel() } }
    let second = observe("b")
    third.value = observe("c")
    context.run()
    cell.send(1)
    context.run()
    #expect(calls.elements == ["a0", "b0", "c0", "a1", "b1"])
    withExtendedLifetime([first, second]) {}
  }

  @Test
  func `a pass finds an owner dead, and a later handler of that pass cancels an observation`() {
    var owner: Mortal? = Mortal {}
    cell.observe(owner!, on: context.delivery) { _, _ in }
    let last = Box<BindingToken>()
    let first = observe("a") { if $0 == 1 { last.value?.cancel() } }
    last.value = observe("b")
    context.run()
    owner = nil
    cell.send(1)
    context.run()
    #expect(calls.elements == ["a0", "b0", "a1"])
    #expect(cell.observerCount == 1)
    first.cancel()
  }

  @Test
  func `an observation that cancels itself runs its operators no more, though updates wait`() {
    let token = Box<BindingToken>()
    let looks = Recorder<Int>()
    token.value = cell.map { [looks] in looks.record($0) }
      .observe(on: context.delivery, backlog: .unbounded) { _ in
        if looks.last == 1 { token.value?.cancel() }
      }
    context.run()
    (1...5).forEach(cell.send)
    context.run()
    #expect(looks.elements == [0, 1])
    token.value = nil
  }

  @Test(arguments: 1...8)
  func `a dead owner behind an operator is noticed, however many updates the operator rejects`(count: Int) {
    var owner: Mortal? = Mortal {}
    cell.filter { $0 == 0 }.observe(owner!, on: context.delivery, backlog: .unbounded) { _, _ in }
    context.run()
    #expect(cell.observerCount == 1)
    owner = nil
    (1...count).forEach(cell.send)
    context.run()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `an operator cancels an observation whose owner has died`() {
    var owner: Mortal? = Mortal {}
    let token = Box<BindingToken>()
    token.value = cell.filter { value in
      if value == 2 { token.value?.cancel() }
      return value == 0
    }.observe(owner!, on: context.delivery, backlog: .unbounded) { _, _ in }
    context.run()
    owner = nil
    (1...2).forEach(cell.send)
    context.run()
    #expect(cell.observerCount == 0)
    token.value = nil
  }

  @Test(arguments: [0, 1])
  func `if one of two observations is cancelled before its call, the other is called`(cancelled: Int) {
    let old = observe("x")
    context.run()
    let new = ["a", "b"].map { observe($0) }
    new[cancelled].cancel()
    context.run()
    #expect(calls.elements == ["x0", cancelled == 0 ? "b0" : "a0"])
    withExtendedLifetime([old] + new) {}
  }

  @Test
  func `an observation cancels an earlier one of its lane: no further call of that one`() {
    let first = Box<BindingToken>()
    first.value = observe("a")
    let second = observe("b") { if $0 == 1 { first.value?.cancel() } }
    context.run()
    cell.send(1)
    context.run()
    cell.send(2)
    context.run()
    #expect(calls.elements == ["a0", "b0", "a1", "b1", "b2"])
    second.cancel()
  }

  @Test(arguments: [Backlog.latest, .bounded(9), .unbounded])
  func `an observation cancels itself while updates wait`(backlog: Backlog) {
    let token = Box<BindingToken>()
    token.value = observe("a", backlog: backlog) { if $0 > 0 { token.value?.cancel() } }
    context.run()
    (1...5).forEach(cell.send)
    context.run()
    #expect(calls.count == 2)
    #expect(cell.observerCount == 0)
    token.value = nil
  }

  @Test
  func `an observation that begins inside a handler receives its first value after the pass`() {
    let bag = DisposeBag()
    let first = cell.observe(on: context.delivery) { [cell, calls, context] value in
      calls.record("a\(value)")
      guard value == 0 else { return }
      cell.observe(on: context.delivery) { calls.record("c\($0)") }.store(in: bag)
    }
    let second = observe("b")
    context.run()
    cell.send(1)
    context.run()
    #expect(calls.elements == ["a0", "b0", "c0", "a1", "b1", "c1"])
    withExtendedLifetime([first, second]) {}
  }

  @Test
  func `a write inside a handler is delivered to all observations after the pass`() {
    let first = observe("a") { [cell] in if $0 == 1 { cell.send(2) } }
    let second = observe("b") { [cell] in if $0 == 2 { cell.send(3) } }
    let third = observe("c", backlog: .unbounded)
    context.run()
    cell.send(1)
    context.run()
    #expect(calls.elements == ["a0", "b0", "c0", "a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
    withExtendedLifetime([first, second, third]) {}
  }

  @Test
  func `what a handler writes is delivered in the same turn`() {
    let token = observe("a") { [cell] in if $0 < 10 { cell.send($0 + 1) } }
    context.runOne()
    #expect(calls.count == 11)
    #expect(context.pending == 0)
    token.cancel()
  }

  @Test
  func `an observation that lags does not delay the others: they see the newest value soon`() {
    let slow = observe("a", backlog: .unbounded)
    let fast = observe("b")
    context.run()
    (1...5_000).forEach(cell.send)
    context.run()
    let calls = calls.elements
    #expect(calls.filter { $0.hasPrefix("a") } == (0...5_000).map { "a\($0)" })
    #expect(calls.filter { $0.hasPrefix("b") } == ["b0", "b5000"])
    #expect((calls.firstIndex(of: "b5000") ?? .max) < 200)
    withExtendedLifetime([slow, fast]) {}
  }

  @Test
  func `a lane with much to do lets other work on the context have its turn`() {
    let token = observe("a", backlog: .unbounded)
    context.run()
    (1...50_000).forEach(cell.send)
    #expect(context.runOne())
    #expect(context.pending == 1)
    #expect((2...20_000).contains(calls.count))
    context.run()
    #expect(calls.count == 50_001)
    token.cancel()
  }

  @Test
  func `a handler that always writes lets other work on the context have its turn`() {
    let token = observe("a") { [cell] in if $0 < 50_000 { cell.send($0 + 1) } }
    #expect(context.runOne())
    #expect(context.pending == 1)
    context.run()
    #expect(calls.count == 50_001)
    token.cancel()
  }
}
