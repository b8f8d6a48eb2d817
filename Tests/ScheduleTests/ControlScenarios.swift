#if EXPLORER
  import ActorBindings
  import Explorer
  import Testing

  extension Schedules {
    /// Scenarios of sources that another source controls: `sample(on:)`.
    @Suite
    struct Control {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 G4 G11 a sampled source against its writer and its trigger`(_ backlog: Backlog) throws {
        try explore("a sampled source against its trigger, \(backlog)", Effort(depthFirst: 3000)) { world in
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
