#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    @Suite
    struct Streams {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 park against send`(_ backlog: Backlog) throws {
        try explore("park against send, \(backlog)") { world in
          let cell = BindableActor(0)
          world.task("reader") {
            var seen: [Int] = []
            for await value in cell.values(backlog: backlog) {
              seen.append(value)
              if value == 2 { break }
            }
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 2, "the reader ended on \(seen)")
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G6 subscribe against send`(_ backlog: Backlog) throws {
        try explore("subscribe against send, \(backlog)") { world in
          let cell = BindableActor(0)
          world.task("reader") {
            let before = cell.version
            var iterator = cell.updates(backlog: backlog).makeAsyncIterator()
            var next = before
            while let update = await iterator.next() {
              world.expect(
                update.version >= before,
                "began at \(update.version), though \(before) was current"
              )
              if next > before, backlog == .unbounded {
                world.expect(update.version == next, "version \(next) was lost")
              }
              next = update.version + 1
              if update.value == 2 { return }
            }
          }
          world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
        }
      }

      @Test
      func `G12 cancel before, during and after parking`() throws {
        try explore("cancel against parking") { world in
          let cell = BindableActor(0)
          let reader = world.task("reader") {
            for await _ in cell.values {}
            world.expect(Task.isCancelled, "the loop ended, though it was not cancelled")
            world.expect(cell.observerCount == 0, "the loop left its position behind")
          }
          world.task("canceller") { reader.cancel() }
          world.task("writer") { cell.send(1) }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G11 finish against send and parking`(_ backlog: Backlog) throws {
        try explore("finish against send and parking, \(backlog)") { world in
          let cell = BindableActor(0)
          world.task("reader") {
            var last = -1
            for await value in cell.values(backlog: backlog) { last = value }
            world.expect(last == cell.value, "ended on \(last), the cell holds \(cell.value)")
          }
          world.task("writer") { cell.send(1) }
          world.task("finisher") { cell.finish() }
        }
      }

      @Test
      func `G11 finish against subscribe`() throws {
        try explore("finish against subscribe") { world in
          let cell = BindableActor(7)
          world.task("reader") {
            var seen: [Int] = []
            for await value in cell.values { seen.append(value) }
            world.expect(seen == [7], "saw \(seen)")
          }
          world.task("finisher") { cell.finish() }
        }
      }

      @Test
      func `G11 the cell's deinit against next`() throws {
        try explore("deinit against next") { world in
          let holder = Holder(BindableActor(7))
          let stream = holder.stream
          world.task("reader") {
            var seen: [Int] = []
            for await value in stream { seen.append(value) }
            world.expect(seen == [7], "saw \(seen)")
          }
          world.task("dropper") { holder.empty() }
        }
      }

      @Test(arguments: [1, 2])
      func `G5 overflow of a bounded backlog against a reader`(_ room: Int) throws {
        try explore("overflow of bounded(\(room)) against a reader") { world in
          let cell = BindableActor(0)
          let updates = cell.updates(backlog: .bounded(room))
          world.task("reader") {
            var accounted: UInt64 = 0
            for await update in updates {
              accounted += UInt64(update.skipped) + 1
              world.expect(update.version == accounted - 1, "\(update) after \(accounted) versions")
            }
            world.expect(accounted == 4, "accounted for \(accounted) versions of 4")
          }
          world.task("writer") {
            for value in 1...3 { cell.send(value) }
            cell.finish()
          }
        }
      }

      @Test
      func `the reserved position of a stream is taken over once`() throws {
        try explore("handover of the reserved position") { world in
          let cell = BindableActor(0)
          let stream = cell.values(backlog: .unbounded)
          cell.send(1)
          let firsts = Log<Int>()
          let tasks = ["a", "b"].map { name in
            world.task(name) {
              var iterator = stream.makeAsyncIterator()
              if let first = await iterator.next() { firsts.append(first) }
            }
          }
          world.task("judge") {
            for task in tasks { await task.value }
            world.expect(firsts.all.sorted() == [0, 1], "they began with \(firsts.all)")
            world.expect(cell.observerCount == 0, "a position was left behind")
          }
        }
      }

      @Test
      func `two cells that write each other`() throws {
        try explore("two cells that feed each other") { world in
          let a = BindableActor(0)
          let b = BindableActor(0)
          world.task("a to b") {
            for await value in a.values {
              b.sendIfChanged(value)
              if value == 3 { break }
            }
          }
          world.task("b to a") {
            for await value in b.values {
              if value == 3 { break }
              a.sendIfChanged(min(3, value + 1))
            }
          }
        }
      }
    }

  }

  extension Holder where Element == BindableActor<Int> {
    var stream: BindingStream<CellCursor<Int>> { withElement { $0.values } }
  }
#endif
