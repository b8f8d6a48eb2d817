import ActorBindings
import ActorBindingsEtcd
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct ThreadsTests {
  /// Runs `body` on one of the threads, and returns when it has ended.
  private func run(on threads: Threads, _ body: @escaping @Sendable () -> Void) async {
    let isDone = BindableActor(false)
    threads.run(
      Threads.Job {
        body()
        isDone.send(true)
      } refuse: {
        Issue.record("a job was refused: \($0)")
      }
    )
    _ = await isDone.first { $0 }
  }

  @Test func `a thread that has done its job waits for the next one`() async {
    let threads = Threads(limit: 1, longestWait: .seconds(60))
    defer { threads.end() }
    let jobs = BindableActor<[Int]>([])
    for _ in 0..<20 {
      await run(on: threads) {
        // A thread has a dictionary of its own.
        let count = Thread.current.threadDictionary["jobs"] as? Int ?? 0
        Thread.current.threadDictionary["jobs"] = count + 1
        jobs.modify { $0.append(count) }
      }
      // Otherwise the next job could come before the thread looks for one.
      while threads.idleCount == 0, !Task.isCancelled { await Task.yield() }
    }
    #expect(jobs.value == Array(0..<20))
  }

  @Test func `jobs run after the wait of a thread has ended, and after the end`() async {
    let threads = Threads(limit: 2, longestWait: .zero)
    for _ in 0..<20 { await run(on: threads) {} }
    threads.end()
    for _ in 0..<20 { await run(on: threads) {} }
  }

  @Test func `threads end with their owner`() async {
    let isReleased = BindableActor(false)
    do {
      let threads = Threads(limit: 1, longestWait: .seconds(60))
      let object = Released { isReleased.send(true) }
      await run(on: threads) {
        // The object lives as long as the thread.
        Thread.current.threadDictionary["object"] = object
      }
      threads.end()
    }
    _ = await isReleased.first { $0 }
  }

  private final class Released: Sendable {
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) {
      self.tell = tell
    }

    deinit { tell() }
  }
}
