import ActorBindings
import ActorBindingsTesting
import Testing

@Suite
struct ManualContextTests {
  private let cell = BindableActor(0)
  private let seen = BindableActor<[Int]>([])

  private func observe(on context: ManualContext) -> BindingToken {
    cell.observe(on: context.delivery) { [seen] value in seen.modify { $0.append(value) } }
  }

  @Test
  func `handlers run only when the test pumps`() {
    let context = ManualContext()
    let token = observe(on: context)
    #expect(seen.value.isEmpty && context.pending == 1)
    #expect(context.pump())
    #expect(!context.pump())
    #expect(seen.value == [0])
    cell.send(1)
    cell.send(2)
    #expect(context.pumpAll() == 1)
    #expect(seen.value == [0, 2])
    token.cancel()
  }

  @Test
  func `pumping all includes the work that handlers cause`() {
    let context = ManualContext()
    let copy = BindableActor(0)
    let token = cell.observe(on: context.delivery) { copy.send($0) }
    let copied = copy.observe(on: context.delivery) { [seen] value in seen.modify { $0.append(value) } }
    context.pumpAll()
    cell.send(3)
    #expect(context.pumpAll() == 2)
    #expect(seen.value.last == 3 && context.pending == 0)
    token.cancel()
    copied.cancel()
  }

  @Test
  func `a test pumps a number of pieces`() {
    let context = ManualContext()
    let tokens = (0..<3).map { _ in
      BindableActor(1).observe(on: context.delivery) { [seen] value in seen.modify { $0.append(value) } }
    }
    #expect(context.pending == 3)
    #expect(context.pump(0) == 0)
    #expect(context.pump(2) == 2)
    #expect(seen.value.count == 2 && context.pending == 1)
    #expect(context.pump(2) == 1)
    #expect(seen.value.count == 3)
    tokens.forEach { $0.cancel() }
  }

  @Test
  func `observations end with their context`() {
    var context: ManualContext? = ManualContext()
    let token = observe(on: context!)
    context?.pumpAll()
    cell.send(1)
    context = nil
    cell.send(2)
    #expect(!token.isActive)
    #expect(cell.observerCount == 0)
    #expect(seen.value == [0])
  }

  @Test
  func `two contexts are two, even if one comes after the other`() {
    var context: ManualContext? = ManualContext()
    let first = observe(on: context!)
    context = nil
    let second = ManualContext()
    let token = observe(on: second)
    second.pumpAll()
    #expect(seen.value == [0])
    #expect(!first.isActive && token.isActive)
  }
}
