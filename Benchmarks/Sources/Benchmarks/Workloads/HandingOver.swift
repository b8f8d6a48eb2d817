import ActorBindings
import Synchronization

/// Two loops that wait for each other: each value wakes a parked loop.
enum HandingOver {
  static let workloads = [pingPong]

  private static let pingPong = Workload(
    "handover",
    "Hand-over to a parked loop, and back",
    per: "round trip",
    comparedTo: "bare continuations",
    [
      .ours("values", 20_000, .times(1.9, of: "bare continuations")) { n in
        try await cells(n, backlog: .latest)
      },
      .ours("values(.unbounded)", 20_000) { n in
        try await cells(n, backlog: .unbounded)
      },
      .baseline("bare continuations", 20_000) { n in
        let (ping, pong) = (Slot(), Slot())
        return try await play(n) {
          for _ in 0..<n {
            pong.signal()
            await ping.wait()
          }
          return n - 1
        } answering: {
          for _ in 0..<n {
            await pong.wait()
            ping.signal()
          }
        }
      },
      .baseline("watch by hand", 20_000) { n in
        let (ping, pong) = (Watch(-1), Watch(-1))
        return try await play(n) {
          var last = -1
          var receiver = ping.receiver()
          while let value = await receiver.next() {
            last = value
            if value == n - 1 { break }
            pong.send(value + 1)
          }
          pong.finish()
          return last
        } answering: {
          var receiver = pong.receiver()
          while let value = await receiver.next() {
            if value >= 0 { ping.send(value) }
          }
        }
      },
      .baseline("AsyncStream", 20_000) { n in
        let (ping, pong) = (AsyncStream.makeStream(of: Int.self), AsyncStream.makeStream(of: Int.self))
        ping.continuation.yield(-1)
        return try await play(n) {
          let last = await serve(n, ping.stream) { pong.continuation.yield($0) }
          pong.continuation.finish()
          return last
        } answering: {
          await answer(pong.stream) { ping.continuation.yield($0) }
        }
      },
    ]
  )

  private static func cells(_ n: Int, backlog: Backlog) async throws -> Sample {
    let (ping, pong) = (BindableActor(-1), BindableActor(-1))
    return try await play(n) {
      let last = await serve(n, ping.values(backlog: backlog)) { pong.send($0) }
      pong.finish()
      return last
    } answering: {
      await answer(pong.values(backlog: backlog)) { ping.send($0) }
    }
  }

  private static func play(
    _ n: Int,
    _ serving: @escaping @Sendable () async -> Int,
    answering: @escaping @Sendable () async -> Void
  ) async throws -> Sample {
    let stopwatch = Stopwatch()
    async let answered: Void = answering()
    let last = await serving()
    await answered
    let sample = stopwatch.sample
    try expect(last, equals: n - 1, "the last value")
    return sample
  }

  @inline(__always)
  private static func serve(
    _ n: Int,
    _ values: some AsyncSequence<Int, Never>,
    _ send: (Int) -> Void
  ) async -> Int {
    var last = -1
    for await value in values {
      last = value
      if value == n - 1 { break }
      send(value + 1)
    }
    return last
  }

  @inline(__always)
  private static func answer(_ values: some AsyncSequence<Int, Never>, _ send: (Int) -> Void) async {
    for await value in values where value >= 0 { send(value) }
  }
}

/// Room for one signal, and for one task that waits for it.
private final class Slot: Sendable {
  private struct State {
    var isSignalled = false
    var waiting: UnsafeContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  func signal() {
    state.withLock { state in
      if state.waiting == nil { state.isSignalled = true }
      return state.waiting.take()
    }?.resume()
  }

  func wait() async {
    await withUnsafeContinuation { continuation in
      let isSignalled = state.withLock { state in
        if !state.isSignalled { state.waiting = continuation }
        defer { state.isSignalled = false }
        return state.isSignalled
      }
      if isSignalled { continuation.resume() }
    }
  }
}
