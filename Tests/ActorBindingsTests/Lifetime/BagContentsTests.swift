import ActorBindings
import Testing

@Suite
struct BagContentsTests {
  private let cell = BindableActor(1)
  private let context = ManualContext()

  @Test(arguments: [false, true])
  func `a list of tokens is put into the bag, with conditions and loops`(isAdmin: Bool) {
    let bag = DisposeBag()
    bag.insert {
      cell.observe(on: context.delivery) { _ in }
      if isAdmin { cell.observe(on: context.delivery) { _ in } }
      if isAdmin {
        cell.observe(on: context.delivery) { _ in }
      } else {
        [cell.observe(on: context.delivery) { _ in }]
      }
      for _ in 0..<3 { cell.observe(on: context.delivery) { _ in } }
    }
    #expect(cell.observerCount == (isAdmin ? 6 : 5))
    bag.dispose()
    context.run()
    #expect(cell.observerCount == 0)
  }

  @Test
  func `the task of a bag is cancelled with the bag`() async {
    let seen = Recorder<String>()
    for isDisposed in [true, false] {
      var bag: DisposeBag? = DisposeBag()
      let token = bag?.addTask { [cell] in
        for await _ in cell.values { seen.record("value") }
        seen.record("cancelled: \(Task.isCancelled)")
      }
      await seen.reached(isDisposed ? 1 : 3)
      #expect(token?.isActive == true)
      if isDisposed { bag?.dispose() } else { bag = nil }
      await seen.reached(isDisposed ? 2 : 4)
      #expect(token?.isCancelled == true)
    }
    #expect(seen.elements == ["value", "cancelled: true", "value", "cancelled: true"])
  }

  @Test
  func `a bag that has been disposed of cancels a task at once`() async {
    let (bag, seen) = (DisposeBag(), Recorder<Bool>())
    bag.dispose()
    let gate = Gate()
    let token = bag.addTask {
      await gate.passed()
      seen.record(Task.isCancelled)
    }
    #expect(token.isCancelled)
    gate.open()
    await seen.reached(1)
    #expect(seen.elements == [true])
  }

  @Test
  func `cancelAndWait waits for the end of the task, however often it is called`() async {
    let (bag, seen, gate) = (DisposeBag(), Recorder<String>(), Gate())
    let token = bag.addTask {
      await withTaskCancellationHandler {
        await gate.passed()
        seen.record("ended")
      } onCancel: {
        seen.record("cancelled")
      }
    }
    async let first: Void = token.cancelAndWait()
    async let second: Void = token.cancelAndWait()
    await seen.reached(1)
    gate.open()
    _ = await (first, second)
    #expect(seen.elements == ["cancelled", "ended"])
    await token.cancelAndWait()
  }

  @Test
  func `a task that has ended is no longer active, and the bag forgets it`() async {
    let (bag, gone) = (DisposeBag(), Recorder<Int>())
    for number in 0..<100 {
      let mortal = Mortal { gone.record(number) }
      let token = bag.addTask { withExtendedLifetime(mortal) {} }
      await eventually { !token.isActive }
      #expect(!token.isCancelled)
    }
    await gone.reached(100)
    #expect(bag.tokenCount < 40)
  }

  @Test
  func `a task may take what only the caller had`() async {
    final class Draft { var text = "draft" }
    let (bag, seen) = (DisposeBag(), Recorder<String>())
    let draft = Draft()
    bag.addTask {
      draft.text += "!"
      seen.record(draft.text)
    }
    await seen.reached(1)
    #expect(seen.elements == ["draft!"])
  }

  @Test
  func `actions run once, in order, when the bag is disposed of or released`() {
    let seen = Recorder<Int>()
    let bag = DisposeBag()
    for number in 1...3 { bag.onDispose { seen.record(number) } }
    bag.dispose()
    bag.dispose()
    #expect(seen.elements == [1, 2, 3])
    bag.onDispose { seen.record(4) }
    #expect(seen.elements == [1, 2, 3, 4])
    do {
      let other = DisposeBag()
      other.onDispose { seen.record(5) }
    }
    #expect(seen.elements == [1, 2, 3, 4, 5])
  }

  @Test
  func `an action may use the bag that runs it`() {
    let (bag, seen) = (DisposeBag(), Recorder<Int>())
    bag.onDispose { [weak bag] in
      bag?.onDispose { seen.record(2) }
      bag?.dispose()
      seen.record(1)
    }
    bag.dispose()
    #expect(seen.elements == [2, 1])
  }

  @Test
  func `a token of a closure runs it once, at the cancellation or the release`() async {
    let seen = Recorder<Int>()
    let token = BindingToken { seen.record(1) }
    #expect(token.isActive)
    token.cancel()
    await token.cancelAndWait()
    #expect(seen.elements == [1])
    #expect(token.isCancelled && !token.isActive)
    do {
      let other = BindingToken { seen.record(2) }
      _ = consume other
    }
    #expect(seen.elements == [1, 2])
  }
}
