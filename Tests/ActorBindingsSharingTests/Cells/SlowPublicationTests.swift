import ActorBindings
import ActorBindingsSharing
import Dispatch
import Foundation
import Testing

/// A value whose comparison with others may take long.
private struct Slow: Equatable, Sendable {
  let number: Int
  let isCompared: @Sendable (Int) -> Void

  static func == (left: Slow, right: Slow) -> Bool {
    left.isCompared(left.number)
    return left.number == right.number
  }
}

/// Runs tasks on a thread of its own, so that a task that blocks does not take a thread of the pool from other tests that
/// block one.
private final class OwnThread: TaskExecutor {
  private let queue = DispatchQueue(label: "publishing")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A thread that publishes takes long.
@Suite(.timeLimit(.minutes(9))) struct SlowPublicationTests {
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["ACTORBINDINGS_POOL"] != "1",
      "a comparison blocks a thread of the pool"
    )
  )
  func `a modify that waits for another thread to publish can be cancelled`() async throws {
    let store = InMemoryStore()
    let (entered, release) = (BindableActor(false), DispatchSemaphore(value: 0))
    let isCompared: @Sendable (Int) -> Void = { number in
      let isFirst = entered.modify { entered in
        defer { entered = entered || number == 1 }
        return !entered && number == 1
      }
      if isFirst { release.wait() }
    }
    let codec = StoreCodec<Slow> {
      Array("\($0.number)".utf8)
    } decode: {
      Slow(number: Int(String(decoding: $0, as: UTF8.self)) ?? 0, isCompared: isCompared)
    }
    let none = Slow(number: 0, isCompared: isCompared)
    let cell = SharedCell("c/a", in: store, initially: none, codec: codec)
    let blocked = Task.detached(executorPreference: OwnThread()) {
      try await cell.modify { $0 = Slow(number: 1, isCompared: isCompared) }
    }
    _ = await entered.first { $0 }
    let modify = Task.detached {
      try await cell.modify { $0 = Slow(number: 2, isCompared: isCompared) }
    }
    while try await store.load(.key("c/a")).revision.number < 2 { await Task.yield() }
    modify.cancel()
    await #expect(throws: CancellationError.self) { try await modify.value }
    release.signal()
    try await blocked.value
    _ = await cell.first { $0.number == 2 }
  }
}

@Suite struct PublicationWaiterTests {
  @Test func `a waiter that was cancelled before it waits does not wait`() async {
    var queue = PublicationQueue<String>()
    let number = queue.decided("a")
    let waiter = queue.makeWaiter()
    #expect(queue.makeWaiter() != waiter)
    if queue.waiterCancelled(waiter) != nil { Issue.record("it does not wait yet") }
    await Resumption.suspend { queue.waited(for: number, waiter, $0) }
    queue.waiterLeft(waiter)
    #expect(!queue.isVisible(number))
  }
}
