#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  private struct NoConversion: Error {}

  extension Schedules {
    /// Scenarios of relays, which run while they have readers, and of two-way bindings.
    @Suite
    struct Relays {
      @Test
      func `G3 a two-way binding with both sides written at once`() throws {
        try explore("a two-way binding with both sides written", within: ExplorationBudget(depthFirst: 3000))
        { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          a.bindTwoWay(to: b)
          let writers = [
            world.task("writer of a") { a.send(1) },
            world.task("writer of b") { b.send(2) },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            await a.settled()
            world.expect(a.value == b.value, "they ended on \(a.value) and \(b.value)")
            world.expect([1, 2].contains(a.value), "they ended on \(a.value)")
            // The binding does not copy back what it wrote.
            world.expect(a.version + b.version <= 4, "\(a.version) and \(b.version) updates")
          }
        }
      }

      @Test
      func `G3 a two-way binding whose sides are set to the same value at once`() throws {
        try explore(
          "a two-way binding with both sides made equal",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          a.bindTwoWay(to: b)
          let writers = [a, b].map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            for writer in writers { await writer.value }
            await a.settled()
            world.expect(a.value == 1 && b.value == 1, "they ended on \(a.value) and \(b.value)")
            world.expect(a.version + b.version <= 3, "\(a.version) and \(b.version) updates")
            // The binding has noted that the cells are equal, which must not hide later writes.
            b.send(2)
            await b.settled()
            world.expect(a.value == 2 && b.value == 2, "then on \(a.value) and \(b.value)")
          }
        }
      }

      @Test
      func `G3 two two-way bindings of the same cells come to rest`() throws {
        try explore("two two-way bindings of the same cells", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          for _ in 1...2 { a.bindTwoWay(to: b) }
          let writers = [
            world.task("writer of a") { a.send(1) },
            world.task("writer of b") { b.send(2) },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            await a.settled()
            world.expect(a.value == b.value, "they ended on \(a.value) and \(b.value)")
            world.expect([1, 2].contains(a.value), "they ended on \(a.value)")
            world.expect(a.version + b.version <= 4, "\(a.version) and \(b.version) updates")
          }
        }
      }

      @Test
      func `G3 a two-way binding that begins with a value that it cannot convert`() throws {
        try explore(
          "a two-way binding whose first conversion fails",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let isConverting = Flag()
          let tasks = [
            world.task("binder") {
              a.bindTwoWay(
                to: b,
                transform: { value in
                  isConverting.set()
                  if value == 0 { throw NoConversion() }
                  return value
                },
                reverse: { $0 },
                onFailure: { _ in }
              )
            },
            world.task("writer of b") {
              let mustCome = isConverting.isSet
              b.send(mustCome ? 2 : 1)
            },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            await b.settled()
            world.expect(a.value == b.value || b.value == 1, "they ended on \(a.value) and \(b.value)")
          }
        }
      }

      @Test
      func `G3 a transaction of both sides as a two-way binding begins`() throws {
        try explore(
          "a two-way binding begins against a transaction",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let tasks = [
            world.task("binder") {
              a.bindTwoWay(
                to: b,
                transform: { _ throws -> Int in throw NoConversion() },
                reverse: { $0 },
                onFailure: { _ in }
              )
            },
            world.task("transaction") {
              BindingTransaction.run { transaction in
                transaction[a] = 1
                transaction[b] = 2
              }
            },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            await b.settled()
            // Both writes are of one instant, so a conversion that fails changes neither cell.
            world.expect(a.value == 1 && b.value == 2, "they ended on \(a.value) and \(b.value)")
          }
        }
      }

      @Test(arguments: [1, 2])
      func `G3 a circle of two-way bindings comes to rest`(_ writers: Int) throws {
        try explore(
          "a circle of two-way bindings, \(writers) written",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, b, c) = (BindableActor(0), BindableActor(0), BindableActor(0))
          a.bindTwoWay(to: b)
          b.bindTwoWay(to: c)
          c.bindTwoWay(to: a)
          let tasks = [a, c].prefix(writers).map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            for task in tasks { await task.value }
            for cell in [a, b, c] { await cell.settled() }
            let values = [a, b, c].map(\.value)
            world.expect(values == [1, 1, 1], "they ended on \(values)")
            // Each cell is written once; a binding that does not compare first would write again.
            let versions = [a, b, c].map(\.version)
            world.expect(versions.reduce(0, +) <= 2 + UInt64(writers), "\(versions) updates")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .unbounded])
      func `G2 no value of the old source is delivered after the switch`(_ backlog: Backlog) throws {
        try explore("switching against both sources, \(backlog)", within: ExplorationBudget(depthFirst: 3000))
        { world in
          let (old, new) = (BindableActor(1), BindableActor(11))
          let outer = BindableActor(old.readOnly)
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in outer.switchToLatest().values(backlog: backlog) { seen.append(value) }
            world.expect(!seen.contains(3), "what was sent to the old source after the switch: \(seen)")
            world.expectRising(seen, "the reader")
            world.expect(seen.last == 12, "the reader ended on \(seen)")
          }
          world.task("writer") {
            old.send(2)
            outer.send(new.readOnly)
            old.send(3)
            new.send(12)
            for cell in [old, new] { cell.finish() }
            outer.finish()
          }
          world.task("judge") {
            await reader.value
            world.expect(old.observerCount == 0, "the old source has \(old.observerCount) observers")
          }
        }
      }

      @Test
      func `G4 each value from before a switch is delivered, and none from its instant on`() throws {
        try explore("a switch in a transaction", within: ExplorationBudget(depthFirst: 3000)) { world in
          let (old, new) = (BindableActor(1), BindableActor(11))
          let outer = BindableActor(old.readOnly)
          world.task("reader") {
            var seen: [Int] = []
            for await value in outer.switchToLatest().values(backlog: .unbounded) { seen.append(value) }
            let isWhole = seen.first != 1 || seen.starts(with: [1, 2, 3])
            world.expect(isWhole && !seen.contains(4) && seen.last == 11, "the reader saw \(seen)")
          }
          world.task("writer") {
            old.send(2)
            old.send(3)
            BindingTransaction.run { transaction in
              transaction[outer] = new.readOnly
              transaction[old] = 4
            }
            for cell in [old, new] { cell.finish() }
            outer.finish()
          }
        }
      }

      // The combination learns of the writes only when its reader looks.
      @Test
      func `G4 what a combination shows before a switch is delivered, and nothing from after it`() throws {
        try explore("a switch away from a combination", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (left, right, new) = (BindableActor(1), BindableActor(0), BindableActor(100))
          let sums = [combineLatest(left, right).map { $0 + $1 }.erased(), new.map { $0 }.erased()]
          let outer = BindableActor(0)
          world.task("reader") {
            var seen: [Int] = []
            let newest = outer.flatMapLatest { sums[$0] }
            for await value in newest.values(backlog: .unbounded) { seen.append(value) }
            let isWhole = seen.first != 1 || seen.starts(with: [1, 2, 3])
            world.expect(isWhole && !seen.contains(11) && seen.last == 100, "the reader saw \(seen)")
          }
          world.task("writer") {
            left.send(2)
            right.send(1)
            outer.send(1)
            left.send(10)
            for cell in [left, right, new, outer] { cell.finish() }
          }
        }
      }

      // The update of the side that has ended makes no element. The update after it comes after the switch.
      @Test
      func `G2 a merge with a side that has ended shows nothing from after a switch`() throws {
        try explore("a switch away from a merge", within: ExplorationBudget(depthFirst: 3000)) { world in
          let (left, right, new) = (BindableActor(1), BindableActor(1), BindableActor(100))
          let sources = [merge(left.prefix(1), right).erased(), new.map { $0 }.erased()]
          let outer = BindableActor(0)
          let token = outer.flatMapLatest { sources[$0] }
            .observe(on: world.context(), backlog: .unbounded) { value in
              world.expect(value == 1 || value == 100, "the observer received \(value)")
            }
          world.task("writer") {
            left.send(2)
            outer.send(1)
            right.send(3)
            await outer.settled()
            await token.cancelAndWait()
          }
        }
      }

      @Test
      func `G13 a switch whose only reader is cancelled meanwhile leaves nothing behind`() throws {
        try explore("a switch as its only reader is cancelled") { world in
          let outer = BindableActor(0)
          let rooms = (0...1).map { BindableActor(10 * $0) }
          let cells = rooms.map { room in { @Sendable [weak cell = room.cell] in cell } }
          let reader = world.task("reader") {
            for await _ in outer.flatMapLatest({ rooms[$0] }).values {}
          }
          world.task("guide") { outer.send(1) }
          world.task("canceller") { reader.cancel() }
          world.finally { world.expect(cells.allSatisfy { $0() == nil }, "a source is held") }
        }
      }

      @Test(arguments: [Backlog.latest, .unbounded])
      func `G11 a switch, the ends of its sources, and a reader that is cancelled`(_ backlog: Backlog) throws
      {
        try explore(
          "a switch against all ends and a cancellation, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let outer = BindableActor(0)
          let rooms = (0...1).map { BindableActor(10 * $0) }
          let source = outer.flatMapLatest { [rooms] in rooms[$0] }
          let readers = ["reader", "cancelled reader"].map { name in
            world.task(name) {
              var seen: [Int] = []
              for await value in source.values(backlog: backlog) { seen.append(value) }
              world.expectRising(seen, name)
              world.expect(seen.last == 11 || Task.isCancelled, "\(name) ended on \(seen)")
            }
          }
          let others = [
            world.task("guide") {
              outer.send(1)
              outer.finish()
            },
            world.task("speaker") {
              rooms[0].send(1)
              rooms[1].send(11)
              for room in rooms { room.finish() }
            },
            world.task("canceller") { readers[1].cancel() },
          ]
          world.task("judge") {
            for task in readers + others { await task.value }
            // The outer source first: a turn of the switch that was under way may just begin to read a room.
            for cell in [outer] + rooms {
              await cell.settled()
              world.expectForgotten(by: cell, "a source")
            }
          }
        }
      }

      @Test
      func `G3 a switch begins while its outer source is written`() throws {
        try explore(
          "a switch begins while its outer source is written",
          within: ExplorationBudget(depthFirst: 2000)
        ) { world in
          let outer = BindableActor(0)
          let rooms = (0...3).map { BindableActor($0) }
          let hasWritten = Flag()
          let source = outer.filter { number in
            if !hasWritten.isSet {
              hasWritten.set()
              outer.send(1)
              // The switch reads 1 here; 2 and 3 stay in the log of the outer source.
              for follower in outer.cell.withFollowers { follower.refresh() }
              outer.send(2)
              outer.send(3)
            }
            return number != 3
          }
          .flatMapLatest { [rooms] in rooms[$0] }
          world.task("reader") {
            for await value in source.values(backlog: .unbounded) where value == 2 { break }
          }
        }
      }

      @Test(arguments: [Backlog.latest, .unbounded])
      func `settled against two switches`(_ backlog: Backlog) throws {
        try explore("settled against two switches, \(backlog)", within: ExplorationBudget(depthFirst: 2000)) {
          world in
          let outer = BindableActor(0)
          let rooms = (0...2).map { BindableActor(10 * $0) }
          let source = outer.flatMapLatest { [rooms] in rooms[$0] }
          let token = source.observe(on: world.context(), backlog: backlog) { _ in }
          let writers = [
            world.task("writer") {
              outer.send(1)
              // After the first switch, another reader of the outer source may make the second switch. `settled()`
              // waits for both readers.
              await outer.settled()
              var late = source.values.makeAsyncIterator()
              let value = await late.next()
              world.expect(
                value ?? 0 >= 10,
                "settled() returned before the switch: \(String(describing: value))"
              )
            },
            world.task("another writer") { outer.send(2) },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            token.cancel()
          }
        }
      }

      @Test
      func `G9 a switch whose inner source goes on, and an owner that dies before the outer source ends`()
        throws
      {
        final class Owner: Sendable {}
        try explore("a switch's outer source ends with an owner", within: ExplorationBudget(depthFirst: 2000))
        { world in
          let (outer, inner) = (BindableActor(0), BindableActor(10))
          let holder = Holder(Owner())
          holder.withElement { owner in
            _ = outer.flatMapLatest { _ in inner }.observe(owner, on: world.context()) { _, _ in }
          }
          world.task("dropper") {
            holder.empty()
            outer.finish()
          }
          world.task("speaker") { inner.send(11) }
          world.finally {
            world.expect(inner.observerCount == 0, "the inner source is read for a dead owner")
            world.expect(outer.observerCount == 0, "the outer source is read for a dead owner")
          }
        }
      }

      @Test
      func `G3 an outer source behind a filter`() throws {
        try explore("switching by what a filter lets through", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let outer = BindableActor(0)
          let rooms = (0...1).map { BindableActor(10 * $0) }
          let source = outer.filter { $0 < 2 }.flatMapLatest { rooms[$0] }
          let reader = world.task("reader") {
            var seen: [Int] = []
            for await value in source.values(backlog: .unbounded) { seen.append(value) }
            world.expectRising(seen, "the reader")
            // A late reader finds the value that the filter rejects.
            world.expect(seen.isEmpty || seen.last == 11, "the reader ended on \(seen)")
          }
          world.task("writer") {
            outer.send(1)
            outer.send(2)
            outer.finish()
          }
          let speaker = world.task("speaker") {
            rooms[0].send(1)
            rooms[1].send(11)
            for room in rooms { room.finish() }
          }
          world.task("judge") {
            await reader.value
            await speaker.value
            for room in rooms {
              await room.settled()
              world.expect(room.observerCount == 0, "a room has \(room.observerCount) observers")
            }
          }
        }
      }

      @Test(arguments: [Backlog.latest, .unbounded])
      func `G13 two switches in a row, and readers that come and go`(_ backlog: Backlog) throws {
        try explore("two switches in a row, \(backlog)", within: ExplorationBudget(depthFirst: 2000)) {
          world in
          let (outer, middle, inner) = (BindableActor(0), BindableActor(0), BindableActor(1))
          let source = outer.flatMapLatest { _ in middle }.flatMapLatest(innerBacklog: backlog) { _ in inner }
          let readers = [1, 2].map { last in
            world.task("until \(last)") {
              for await value in source.values(backlog: backlog) where value >= last { break }
            }
          }
          let writer = world.task("writer") {
            outer.send(1)
            middle.send(1)
            inner.send(2)
          }
          world.task("judge") {
            for task in readers + [writer] { await task.value }
            // Some drivers that the readers started may not have stopped yet.
            var late = source.values(backlog: backlog).makeAsyncIterator()
            let value = await late.next()
            world.expect(value == 2, "a late reader got \(String(describing: value))")
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `readers of a combination with a relay come and go`(_ backlog: Backlog) throws {
        try explore("readers of a cell and a relay, \(backlog)", within: ExplorationBudget(depthFirst: 2000))
        { world in
          let (cell, outer, inner) = (BindableActor(0), BindableActor(0), BindableActor(0))
          let source = combineLatest(cell, outer.flatMapLatest { _ in inner }).map { $0 + $1 }
          let readers = [1, 2].map { last in
            world.task("until \(last)") {
              var seen: [Int] = []
              for await value in source.values(backlog: backlog) {
                seen.append(value)
                if value >= last { break }
              }
              world.expect(zip(seen, seen.dropFirst()).allSatisfy { $0 <= $1 }, "it saw \(seen)")
            }
          }
          let writers = [cell, inner].map { cell in world.task("writer") { cell.send(1) } }
          world.task("judge") {
            for task in readers + writers { await task.value }
            // Some drivers that the readers started may not have stopped yet.
            var late = source.values(backlog: backlog).makeAsyncIterator()
            let value = await late.next()
            world.expect(value == 2, "a late reader got \(String(describing: value))")
          }
        }
      }

      @Test
      func `G3 a two-way binding against a transaction of both sides`() throws {
        try explore("a two-way binding against a transaction", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          a.bindTwoWay(to: b)
          let tasks = [
            world.task("transaction") {
              BindingTransaction.run { transaction in
                transaction[b] = transaction[a] + 2
                transaction[a] = transaction[b] - 1
              }
            },
            world.task("writer of b") { b.send(10) },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            await b.settled()
            world.expect(a.value == b.value, "they ended on \(a.value) and \(b.value)")
            world.expect([1, 10, 11].contains(a.value), "they ended on \(a.value)")
          }
        }
      }

      @Test
      func `G13 a relay stops when its last reader has left, and starts again`() throws {
        try explore("coming to a relay and leaving it", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let inner = BindableActor(1)
          let outer = BindableActor(0)
          let source = outer.flatMapLatest { _ in inner }
          let readers = [1, 2].map { name in
            world.task("reader \(name)") {
              var iterator = source.values.makeAsyncIterator()
              let value = await iterator.next()
              world.expect(value.map { $0 >= 1 } == true, "reader \(name) got \(String(describing: value))")
            }
          }
          let writer = world.task("writer") { inner.send(2) }
          world.task("judge") {
            for task in readers + [writer] { await task.value }
            world.expect(inner.observerCount == 0, "the inner source has \(inner.observerCount) observers")
            world.expect(outer.observerCount == 0, "the outer source has \(outer.observerCount) observers")
            var late = source.values.makeAsyncIterator()
            let value = await late.next()
            world.expect(value == 2, "a late reader got \(String(describing: value))")
          }
        }
      }

      @Test
      func `G4 an unbounded reader joins a latest reader`() throws {
        try explore("a relay that must deliver all from now on", within: ExplorationBudget(depthFirst: 3000))
        { world in
          let inner = BindableActor(1)
          let outer = BindableActor(0)
          let source = outer.flatMapLatest { _ in inner }
          let newest = world.task("newest") {
            var last = 0
            for await value in source.values { last = value }
            world.expect(last == 3, "ended on \(last)")
          }
          let all = world.task("all") {
            var seen: [Int] = []
            for await value in source.values(backlog: .unbounded) { seen.append(value) }
            world.expect(seen == Array((seen.first ?? 3)...3), "saw \(seen)")
          }
          world.task("writer") {
            inner.send(2)
            inner.send(3)
            inner.finish()
            outer.finish()
          }
          world.task("judge") {
            await newest.value
            await all.value
            // Waits, because the turn in which the driver's observation ended may not be over.
            await inner.settled()
            world.expect(inner.observerCount == 0, "the inner source has \(inner.observerCount) observers")
          }
        }
      }

      @Test
      func `G6 a reader that joins a relay as another one starts or leaves misses nothing`() throws {
        try explore("two come to a relay at once", within: ExplorationBudget(depthFirst: 3000)) { world in
          let inner = BindableActor(1)
          let outer = BindableActor(0)
          let source = outer.flatMapLatest { _ in inner }
          world.task("passer-by") {
            var iterator = source.values.makeAsyncIterator()
            _ = await iterator.next()
          }
          world.task("reader") {
            let all = source.values(backlog: .unbounded)
            inner.send(2)
            inner.send(3)
            inner.finish()
            outer.finish()
            var seen: [Int] = []
            for await value in all { seen.append(value) }
            world.expect(seen == [1, 2, 3], "saw \(seen)")
          }
        }
      }

      @Test
      func `G11 the sources end as the last reader leaves`() throws {
        try explore("a relay's sources end as its last reader leaves") { world in
          let cell = BindableActor(1)
          let source = cell.throttle(for: .seconds(1000))
          let reader = world.task("reader") {
            var iterator = source.values.makeAsyncIterator()
            _ = await iterator.next()
          }
          let finisher = world.task("finisher") { cell.finish() }
          world.task("judge") {
            await reader.value
            await finisher.value
            var seen: [Int] = []
            for await value in source.values { seen.append(value) }
            world.expect(seen == [1], "a late reader saw \(seen)")
          }
        }
      }

      @Test
      func `G3 the last value of a derived cell is that of its source`() throws {
        try explore("a derived cell against its source", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          world.task("maker") {
            let derived = BindableActor(of: cell.map { $0 * 10 })
            let first = derived.value
            await writer.value
            await cell.settled()
            world.expect(derived.value == 20, "it began with \(first) and ended on \(derived.value)")
          }
        }
      }

      @Test
      func `settled of a derived source waits for each step upstream`() throws {
        try explore(
          "settled of a derived source against its writer",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cell = BindableActor(0)
          let first = BindableActor(of: cell.map { $0 + 1 })
          let derived = BindableActor(of: first)
          let pair = combineLatest(derived, cell)
          let seen = Log<Int>()
          let token = pair.observe(on: world.context()) { first, _ in seen.append(first) }
          world.task("writer") {
            cell.send(1)
            await pair.settled()
            world.expect(seen.all.last == 2, "settled() returned when the observer had seen \(seen.all)")
            withExtendedLifetime((token, first, derived)) {}
          }
        }
      }

      @Test
      func `settled of a switch waits for what its inner source waits for`() throws {
        try explore(
          "settled of a switch against two switches",
          within: ExplorationBudget(depthFirst: 3000, priority: 2500)
        ) {
          world in
          let (outer, cell) = (BindableActor(0), BindableActor(0))
          let rooms = (0...2).map { room in BindableActor(of: cell.map { 10 * room + $0 }) }
          let source = outer.flatMapLatest { [rooms] in rooms[$0] }
          let seen = Log<Int>()
          let token = source.observe(on: world.context()) { seen.append($0) }
          world.task("writer") {
            outer.send(1)
            cell.send(1)
            outer.send(2)
            await source.settled()
            world.expect(seen.all.last == 21, "settled() returned when the observer had seen \(seen.all)")
            token.cancel()
          }
        }
      }

      @Test
      func `settled of a derived source against its cancellation`() throws {
        try explore(
          "settled of a derived source against its cancellation",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let cell = BindableActor(0)
          let first = BindableActor(of: cell)
          let derived = BindableActor(of: first)
          cell.send(1)
          let waiter = world.task("waiter") { await derived.settled() }
          world.task("canceller") { waiter.cancel() }
          world.task("judge") {
            await waiter.value
            await derived.settled()
            world.expect(derived.value == 1, "settled() returned when the cell held \(derived.value)")
            withExtendedLifetime(first) {}
          }
        }
      }

      @Test
      func `G9 a derived cell dies while its source is written`() throws {
        try explore("a derived cell dies against its source", within: .toItsEnd) { world in
          let cell = BindableActor(0)
          let holder = Holder(BindableActor(of: cell))
          world.task("dropper") { holder.empty() }
          world.task("writer") { cell.send(1) }
          world.finally { world.expect(cell.observerCount == 0, "a dead cell still counts") }
        }
      }

      @Test
      func `G12 first(where:) misses nothing, and ends when it is cancelled`() throws {
        try explore("waiting for a value that comes and goes", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableActor(0)
          let wasWaiting = Flag()
          let waiter = world.task("waiter") {
            let found = await cell.first { $0 == 1 }
            let mustFind = wasWaiting.isSet && !Task.isCancelled
            world.expect(found == 1 || !mustFind, "the value was missed")
          }
          world.task("writer") {
            if cell.observerCount == 1 { wasWaiting.set() }
            cell.send(1)
            cell.send(2)
            cell.finish()
          }
          world.task("canceller") { waiter.cancel() }
        }
      }
    }
  }
#endif
