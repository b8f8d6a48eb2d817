import ActorBindings
import Synchronization

/// W22: asynchronous functions that sources call with their values.
enum Calling {
  static let workloads = [mapped(1), mapped(4), newest]

  private static func output(of value: Int) async -> Int { value }

  // Each function that is measured delivers the outputs for 0 to `n - 1`, in order.

  private static func mapped(_ limit: Int) -> Workload {
    Workload(
      "W22.asyncMap.\(limit)",
      "Every value through an asynchronous function, in order, \(limit) at a time",
      per: "value",
      comparedTo: "a task for each value",
      [
        .ours("asyncMap", 20_000) { n in
          let cell = BindableActor(-1)
          let outputs = cell.asyncMap(maxConcurrent: limit) { await output(of: $0) }
          let tally = Tally(until: n - 1)
          let token = outputs.observe(on: .immediate, backlog: .unbounded, tally.handler)
          let stopwatch = Stopwatch()
          for i in 0..<n { cell.send(i) }
          await tally.isDone()
          let sample = stopwatch.sample
          try tally.expectAll(n)
          token.cancel()
          return sample
        },
        .baseline("a task for each value", 20_000) { n in
          let (values, continuation) = AsyncStream.makeStream(of: Int.self)
          let tally = Tally(until: n - 1)
          let stopwatch = Stopwatch()
          let reader = Task {
            var running: [Task<Int, Never>] = []
            for await value in values {
              if running.count == limit { tally.receive(await running.removeFirst().value) }
              running.append(Task.detached { await output(of: value) })
            }
            for task in running { tally.receive(await task.value) }
          }
          for i in 0..<n { continuation.yield(i) }
          continuation.finish()
          await tally.isDone()
          let sample = stopwatch.sample
          await reader.value
          try tally.expectAll(n)
          return sample
        },
      ]
    )
  }

  private static let newest = Workload(
    "W22.mapLatest",
    "A value through an asynchronous function of mapLatest, until its output is delivered",
    per: "value",
    comparedTo: "a task for each value",
    [
      .ours("mapLatest", 10_000) { n in
        let cell = BindableActor(-1)
        let received = Awaited()
        let outputs = cell.mapLatest { await output(of: $0) }
        let token = outputs.compactMap(\.content).observe(
          on: .immediate,
          backlog: .unbounded,
          received.receive
        )
        let stopwatch = Stopwatch()
        for i in 0..<n {
          cell.send(i)
          await received.reached(i)
        }
        let sample = stopwatch.sample
        try expect(received.count, equals: n, "outputs delivered")
        token.cancel()
        return sample
      },
      .baseline("a task for each value", 10_000) { n in
        let received = Awaited()
        let task = Mutex<Task<Void, Never>?>(nil)
        let stopwatch = Stopwatch()
        for i in 0..<n {
          let next = Task.detached {
            let output = await output(of: i)
            if !Task.isCancelled { received.receive(output) }
          }
          let former = task.withLock { task in
            defer { task = next }
            return task
          }
          former?.cancel()
          await received.reached(i)
        }
        let sample = stopwatch.sample
        try expect(received.count, equals: n, "outputs delivered")
        return sample
      },
    ]
  )
}

/// The newest output that a handler received, for a task that waits for it.
private final class Awaited: Sendable {
  private struct State {
    var newest = -1
    var count = 0
    var waiting: (value: Int, continuation: CheckedContinuation<Void, Never>)?
  }

  private let state = Mutex(State())

  var count: Int { state.withLock { $0.count } }

  @Sendable
  func receive(_ value: Int) {
    if value < 0 { return }
    let reached = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.newest = value
      state.count += 1
      guard let waiting = state.waiting, waiting.value <= value else { return nil }
      state.waiting = nil
      return waiting.continuation
    }
    reached?.resume()
  }

  func reached(_ value: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.newest < value { state.waiting = (value, continuation) }
        return state.newest >= value
      }
      if isReached { continuation.resume() }
    }
  }
}
