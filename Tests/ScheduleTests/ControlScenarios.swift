#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios of sources that another source controls: `prefix(until:)`, `sample(on:)`.
    @Suite
    struct Control {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 G4 G11 a reader until a change, against the writers of both sources`(_ backlog: Backlog) throws
      {
        try explore(
          "a reader until a change, against both writers, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, stop) = (BindableActor(0), BindableActor(0))
          let (before, after, received, hasEnded) = (Log<Int>(), Log<Int>(), Log<Int>(), Flag())
          let token = a.prefix(until: stop).observe(on: world.context(), backlog: backlog) {
            received.append($0)
          } onEnd: {
            hasEnded.set()
          }
          let writers = [
            world.task("writer") {
              a.send(1)
              a.send(2)
            },
            world.task("writer of the other source") {
              before.append(a.value)
              stop.send(1)
              after.append(a.value)
            },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            await stop.settled()
            let seen = received.all
            world.expect(hasEnded.isSet && !token.isCancelled, "the change has not ended the reader: \(seen)")
            world.expectRising(seen, "the reader")
            if backlog == .unbounded {
              let last = seen.last ?? -1
              world.expect(seen == Array(0...max(last, 0)), "the reader saw \(seen)")
              world.expect(before.all[0] <= last, "the reader saw \(seen), but not \(before.all)")
            }
            // The value was written before the change, or while `send` was under way.
            world.expect(seen.allSatisfy { $0 <= after.all[0] }, "the reader saw \(seen), after \(after.all)")
          }
          // The lane's last turn may end after `settled`.
          world.finally {
            world.expectForgotten(by: a, "the source")
            world.expectForgotten(by: stop, "the other source")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G11 a source ends while the source that could end its reader is written`(_ backlog: Backlog)
        throws
      {
        try explore(
          "a source ends before the change, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, other) = (BindableActor(0), BindableActor(0))
          let stream = a.prefix(until: other.filter { $0 < 0 }).values(backlog: backlog)
          let received = Log<Int>()
          let reader = world.task("reader") { for await value in stream { received.append(value) } }
          world.task("writer") {
            a.send(1)
            a.finish()
          }
          let writer = world.task("writer of the other source") {
            other.send(1)
            other.send(2)
          }
          world.task("judge") {
            await reader.value
            await writer.value
            let seen = received.all
            let isRight = backlog == .unbounded ? seen == [0, 1] : seen.last == 1
            world.expect(isRight, "the reader saw \(seen)")
            world.expectForgotten(by: a, "the source")
            world.expectForgotten(by: other, "the other source")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 G4 G11 a sampled source against its writer and its trigger`(_ backlog: Backlog) throws {
        try explore(
          "a sampled source against its trigger, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, trigger) = (BindableActor(0), BindableActor(0))
          let (before, after, received, hasEnded) = (Log<Int>(), Log<Int>(), Log<Int>(), Flag())
          let token = a.sample(on: trigger).observe(on: world.context(), backlog: backlog) {
            received.append($0)
          } onEnd: {
            hasEnded.set()
          }
          let writers = [
            world.task("writer") {
              a.send(1)
              a.send(2)
            },
            world.task("writer of the trigger") {
              for number in 1...2 {
                before.append(a.value)
                trigger.send(number)
                after.append(a.value)
              }
              trigger.finish()
            },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            await trigger.settled()
            let seen = received.all
            world.expect(
              hasEnded.isSet && !token.isCancelled,
              "the trigger has not ended the reader: \(seen)"
            )
            world.expect((seen.last ?? -1) >= before.all[1], "the reader ended on \(seen)")
            if backlog == .unbounded {
              world.expect(seen.count == 2, "the reader saw \(seen) at two changes")
              for (number, value) in seen.prefix(2).enumerated() {
                let bounds = before.all[number]...after.all[number]
                world.expect(bounds.contains(value), "the reader saw \(value) at a change during \(bounds)")
              }
            }
            world.expect(!seen.isEmpty && seen.count <= 2, "the reader saw \(seen)")
          }
          // The lane's last turn may end after `settled`.
          world.finally {
            world.expectForgotten(by: a, "the source")
            world.expectForgotten(by: trigger, "the trigger")
          }
        }
      }
    }
  }
#endif
