// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The guess that a cell is itself a sequence. A loop must choose a backlog, so a loop iterates the `values` of a cell,
// not the cell.
//
// Only a conformance can answer this guess. The conformance is unavailable, so the type checker prefers any other
// interpretation of a line. Only a cast at run time can reach the conformance: `cell as? any AsyncSequence`. A loop
// over the result of this cast ends the process, with a message that names what to iterate. If the result were an empty
// sequence, the loop would lose all values without a message.

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
