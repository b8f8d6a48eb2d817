import ActorBindings
import Testing

@Suite
struct ClientsExample {
  @Test
  func `clients wait or are active, and never both or neither`() {
    // README
    let waiting = BindableActor(["ann", "bob"])
    let active = BindableActor<[String]>([])

    // A source like any other: it can be read, observed, bound and streamed.
    let clients = combineLatest(waiting, active).map { waiting, active in waiting.count + active.count }

    // May run again if another task wrote meanwhile. A reader of both cells sees each client once.
    BindingTransaction.run { transaction in
      guard !transaction[waiting].isEmpty else { return }
      transaction[active].append(transaction[waiting].removeFirst())
    }
    // end
    #expect(clients.value == 2)
    #expect(waiting.value == ["bob"])
    #expect(active.value == ["ann"])
  }
}
