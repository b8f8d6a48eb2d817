/// A server whose line a test opens and drops.
final class FeedServer: Sendable {
  private struct Refused: Error {}
  struct Dropped: Error {}
  typealias Line = AsyncThrowingStream<Int, any Error>

  private let lines = Guarded<[Line.Continuation]>([])
  private let refusals: Guarded<Int>
  let calls = Recorder<Int>()

  init(refusals: Int = 0) {
    self.refusals = Guarded(refusals)
  }

  @Sendable
  func connect() throws -> sending Line {
    let isRefused = refusals.withLock { refusals in
      refusals -= 1
      return refusals >= 0
    }
    defer { calls.record(calls.count) }
    if isRefused { throw Refused() }
    let (line, continuation) = Line.makeStream()
    lines.withLock { $0.append(continuation) }
    return line
  }

  private var newest: Line.Continuation? { lines.withLock { $0.last } }

  func yield(_ number: Int) { newest?.yield(number) }
  func drop() { newest?.finish(throwing: Dropped()) }
  func end() { newest?.finish() }
}
