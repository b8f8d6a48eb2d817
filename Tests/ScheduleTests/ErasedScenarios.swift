#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  /// What a handler captures.
  private final class Capture: Sendable {}

  /// Knows whether an object is gone, without keeping it.
  private final class Observed: Sendable {
    private weak let capture: Capture?

    init(_ capture: Capture) {
      self.capture = capture
    }

    var isGone: Bool { capture == nil }
  }

  extension Schedules {
    /// Scenarios of readers that do not know the type of their source, and of readers that end before their source.
    @Suite
    struct Erased {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 an observer of an erased source ends on the last value`(_ backlog: Backlog) throws {
        try explore("an observer of an erased source against two writers, \(backlog)") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let source: AnyBindingSource<Update<Int>> = cell.versioned().erased()
          let token = source.observe(on: world.context(), backlog: backlog) { seen.append(Int($0.version)) }
          let writers = [1, 2].map { value in world.task("writer \(value)") { cell.send(value) } }
          world.task("judge") {
            for writer in writers { await writer.value }
            await cell.settled()
            world.expectRising(seen.all, "the observer")
            world.expect(seen.all.last == 2, "the observer ended on version \(seen.all)")
            await token.cancelAndWait()
            world.expect(cell.observerCount == 0, "\(cell.observerCount) readers are left")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 a loop over two erased cells sees each instant whole`(_ backlog: Backlog) throws {
        try explore(
          "a loop over an erased combination against its writers, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let sums = combineLatest(a.erased(), b.map { -$0 }.erased()).map { $0 + $1 }.erased()
          let reader = world.task("reader") {
            var sum: Int?
            for await next in sums.values(backlog: backlog) { sum = next }
            world.expect(sum == 0, "the last sum is \(String(describing: sum))")
          }
          let writers = [
            world.task("both") {
              BindingTransaction.run { transaction in
                transaction[a] += 1
                transaction[b] += 1
              }
            },
            world.task("writer of b") {
              b.modify { $0 += 1 }
              a.modify { $0 += 1 }
            },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            a.finish()
            b.finish()
            await reader.value
          }
        }
      }

      @Test
      func `G13 an observer of an erased source is cancelled, and its captures go`() throws {
        try explore("an erased observer is cancelled during a call") { world in
          let cell = BindableActor(0)
          let hasEnded = Flag()
          let seen = Log<Int>()
          let token: BindingToken
          let captured: Observed
          do {
            let capture = Capture()
            captured = Observed(capture)
            token = cell.filter { $0 >= 0 }.erased().observe(on: world.context(), backlog: .unbounded) {
              world.expect(!hasEnded.isSet, "a call began after the end")
              withExtendedLifetime(capture) {}
              seen.append($0)
            }
          }
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("canceller") {
            await token.cancelAndWait()
            hasEnded.set()
            world.expect(captured.isGone, "the captures are left")
            await writer.value
            world.expectRising(seen.all, "the observer")
            world.expect(cell.observerCount == 0, "\(cell.observerCount) readers are left")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .unbounded])
      func `G8 a prefix ends by itself while it is cancelled`(_ backlog: Backlog) throws {
        try explore("a prefix ends against a cancellation, \(backlog)") { world in
          let cell = BindableActor(0)
          let seen = Log<Int>()
          let token = cell.prefix(2).observe(on: world.context(), backlog: backlog) { seen.append($0) }
          let others = [
            world.task("writer") {
              cell.send(1)
              cell.send(2)
            },
            world.task("canceller") { await token.cancelAndWait() },
          ]
          world.task("judge") {
            for task in others { await task.value }
            world.expect(seen.all.count <= 2, "the observer received \(seen.all)")
            world.expectRising(seen.all, "the observer")
            world.expect(cell.observerCount == 0, "\(cell.observerCount) readers are left")
          }
        }
      }
    }
  }
#endif
