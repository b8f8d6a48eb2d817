import ActorBindings
import Testing

@Suite
struct ReentranceTests {
  @Test @MainActor
  func `an observer that begins in a handler may finish the cell in its first call`() async {
    let cell = BindableActor(0)
    let bag = DisposeBag()
    var inner: [Int] = []
    cell.observe { _ in
      cell.observe(backlog: .bounded(2)) { value in
        inner.append(value)
        cell.finish()
      }.store(in: bag)
    }.store(in: bag)
    await cell.settled()
    #expect(inner == [0])
    #expect(cell.observerCount == 0)
  }
}
