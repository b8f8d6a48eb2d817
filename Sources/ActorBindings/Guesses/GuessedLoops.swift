// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The guess that a cell is itself a sequence. A loop needs a choice, the backlog, and begins reading: it asks for `values`.
//
// Nothing but a conformance gives this guess an answer. It is unavailable, so the type checker prefers each other way to
// read a line. Only a cast at run time can reach it, `cell as? any AsyncSequence`: then a loop over the result ends the
// process, and names what to iterate. An empty sequence instead would lose all values without a word.

@available(*, unavailable, message: "iterate its `values`: for await value in cell.values")
extension BindableActor: AsyncSequence {
  public typealias Element = Value

  @available(*, unavailable, message: "iterate its `values`: for await value in cell.values")
  public nonisolated func makeAsyncIterator() -> GuessedIterator<Element> { refusedLoop() }
}

@available(*, unavailable, message: "iterate its `values`: for await value in cell.values")
extension BindableArray: AsyncSequence {
  @available(*, unavailable, message: "iterate its `values` or `changes(backlog:)`")
  public nonisolated func makeAsyncIterator() -> GuessedIterator<Element> { refusedLoop() }
}

@available(*, unavailable, message: "iterate its `values`: for await value in cell.values")
extension BindableDictionary: AsyncSequence {
  @available(*, unavailable, message: "iterate its `values` or `changes(backlog:)`")
  public nonisolated func makeAsyncIterator() -> GuessedIterator<Element> { refusedLoop() }
}

@available(*, unavailable)
public struct GuessedIterator<Element>: AsyncIteratorProtocol, Sendable {
  public mutating func next() async -> Element? { refused() }
}

private func refusedLoop() -> Never {
  fatalError("A cell was cast to an AsyncSequence. Iterate its `values` instead.")
}
