import ActorBindings
import ActorBindingsSharing
import Testing

@Suite(.timeLimit(.minutes(9))) struct StartedRunTests {
  @Test func `when cancelAndWait returns, the run has ended and nothing is left`() async throws {
    let store = InMemoryStore()
    let cell = SharedCell("c/a", in: store, initially: 0)
    let token = cell.start()
    try await cell.ready()
    #expect(!token.hasEnded)
    await token.cancelAndWait()
    #expect(token.isCancelled && token.hasEnded)
    #expect(cell.link.value == .idle)
    #expect(store.followers.loopCount == 0 && store.followers.taskCount == 0)
    #expect(store.subscriptionCount == 0)
    await token.cancelAndWait()
  }

  @Test func `of several calls of cancelAndWait each waits for the end`() async throws {
    let store = InMemoryStore()
    let cell = SharedCell("c/a", in: store, initially: 0)
    let token = cell.start()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          await token.cancelAndWait()
          #expect(cell.link.value == .idle)
        }
      }
    }
    #expect(store.followers.loopCount == 0 && store.followers.taskCount == 0)
  }

  @Test func `a run that was refused has ended, and was not cancelled`() async throws {
    let cell = SharedCell("c//a", in: InMemoryStore(), initially: 0)
    let token = cell.start()
    let link = await cell.link.first {
      if case .ended = $0 { true } else { false }
    }
    #expect(link != nil)
    await token.cancelAndWait()
    #expect(token.hasEnded && !token.isCancelled)
  }

  @Test func `cells that start again when they learn of a refusal follow the store`() async throws {
    let store = CountingStore(InMemoryStore())
    store.refusals.send(1)
    try await store.put(7, "c/b")
    let cells = ["a", "b"].map { SharedCell("c/\($0)", in: store, initially: 0) }
    // Starts on the task of the loop, while the loop tells its members.
    let context = DeliveryContext(id: "at once") { $0() }
    let tokens = cells.map { cell in
      cell.link.observe(on: context) { [weak cell] link in
        if case .ended = link { cell?.start() }
      }
    }
    for cell in cells { cell.start() }
    for cell in cells { #expect(await cell.link.first { $0 == .live } != nil) }
    #expect(await cells[1].first { $0 == 7 } == 7)
    #expect(store.refusals.value == 0 && store.loads.value >= 2)
    for token in tokens { token.cancel() }
  }

  @Test func `a cell that is released ends its run, and releases the store`() async throws {
    var store: InMemoryStore? = InMemoryStore()
    weak let released = store
    var cell = store.map { SharedCell("c/a", in: $0, initially: 0) }
    let token = cell?.start()
    try await cell?.ready()
    cell = nil
    await token?.cancelAndWait()
    store = nil
    // The task that has ended may still be releasing what it held.
    while released != nil { await Task.yield() }
  }

  @Test func `two runs of a cell are two, and the cell is idle after the second`() async throws {
    let store = InMemoryStore()
    let cell = SharedCell("c/a", in: store, initially: 0)
    let (first, second) = (cell.start(), cell.start())
    try await cell.ready()
    await first.cancelAndWait()
    try await store.put(5, "c/a")
    #expect(await cell.first { $0 == 5 } == 5)
    #expect(store.followers.loopCount == 1)
    await second.cancelAndWait()
    #expect(cell.link.value == .idle)
  }
}
