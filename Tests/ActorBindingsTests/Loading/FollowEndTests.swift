import ActorBindings
import Testing

/// A sequence without elements. Says whether it was asked for one.
private struct EmptySequence: AsyncSequence, Sendable {
  let wasAsked: Flag

  struct Iterator: AsyncIteratorProtocol {
    let wasAsked: Flag

    mutating func next() async -> Int? {
      wasAsked.set()
      return nil
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(wasAsked: wasAsked) }
}

/// The end of a sequence that a cell follows.
@Suite struct FollowEndTests {
  private let cell = BindableActor(0)

  @Test func `a finished cell does not ask a sequence for an element`() async {
    let (wasAsked, ended) = (Flag(), Gate())
    cell.finish()
    cell.follow(EmptySequence(wasAsked: wasAsked)) { _ in ended.open() }
    await ended.passed()
    #expect(!wasAsked.isSet)
  }

  @Test func `neither the end of a sequence nor a later cancel cancels its task`() async {
    let (elements, continuation) = AsyncStream.makeStream(of: Int.self)
    let box = Box<BindingToken>()
    let isCancelled = Recorder<Bool>()
    box.value = cell.follow(elements) { _ in
      box.value?.cancel()
      isCancelled.record(Task.isCancelled)
    }
    continuation.finish()
    await isCancelled.reached(1)
    #expect(isCancelled.elements == [false])
    #expect(box.value?.isCancelled == false)
    box.value = nil
  }
}
