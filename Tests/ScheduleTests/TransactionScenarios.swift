#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  private struct Imbalance: Error {}

  /// Moves `amount` from one cell to another.
  private func move(_ amount: Int, from: BindableActor<Int>, to: BindableActor<Int>) {
    BindingTransaction.run { transaction in
      transaction[from] -= amount
      transaction[to] += amount
    }
  }

  extension Schedules {
    /// Scenarios of transactions against readers and writers of single cells.
    @Suite
    struct Transactions {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `two transactions name their cells in opposite order, and a reader sees each completely`(
        _ backlog: Backlog
      ) throws {
        try explore(
          "two transactions against a reader of both cells, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (BindableActor(10), BindableActor(0))
          let sums = combineLatest(b, a).map { $0 + $1 }
          let reader = world.task("reader") {
            var count = 0
            for await sum in sums.values(backlog: backlog) {
              world.expect(sum == 10, "half of a transaction: \(sum)")
              count += 1
            }
            world.expect(count >= 1, "it saw nothing")
          }
          let movers = [
            world.task("a to b") { move(1, from: a, to: b) },
            world.task("b to a") { move(2, from: b, to: a) },
          ]
          world.task("judge") {
            for mover in movers { await mover.value }
            world.expect(a.value == 11 && b.value == -1, "a \(a.value), b \(b.value)")
            world.expect(a.version == 2 && b.version == 2, "one was run twice")
            a.finish()
            b.finish()
            await reader.value
          }
        }
      }

      @Test
      func `a read of two cells sees all of a transaction`() throws {
        try explore("a look at two cells against a transaction") { world in
          let (a, b) = (BindableActor(10), BindableActor(0))
          let sum = combineLatest(a, b).map { $0 + $1 }
          world.task("mover") { move(1, from: a, to: b) }
          world.task("passer-by") {
            let found = sum.value
            world.expect(found == 10, "half of a transaction: \(found)")
          }
        }
      }

      @Test
      func `a transaction against an observer that begins`() throws {
        try explore(
          "a transaction against observe of both cells",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (a, b) = (BindableActor(10), BindableActor(0))
          let sums = Log<Int>()
          let tokens = Log<BindingToken>()
          let source = combineLatest(a, b).map { a, b in a + 100 * b }
          let observer = world.task("observer") {
            for backlog in [Backlog.latest, .unbounded] {
              tokens.append(source.observe(on: world.context(), backlog: backlog) { sums.append($0) })
            }
          }
          let mover = world.task("mover") {
            move(1, from: a, to: b)
            move(1, from: a, to: b)
          }
          world.task("judge") {
            await observer.value
            await mover.value
            await b.settled()
            world.expect(Set(sums.all).isSubset(of: [10, 109, 208]), "half of a transaction: \(sums.all)")
            world.expect(sums.all.count { $0 == 208 } == 2, "both must end on 208: \(sums.all)")
            for token in tokens.all { await token.cancelAndWait() }
            world.expectForgotten(by: a, "a")
            world.expectForgotten(by: b, "b")
          }
        }
      }

      @Test
      func `G1 a transaction against modify and send`() throws {
        try explore("a transaction against modify and send", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let tasks = [
            world.task("transaction") {
              let (found, made) = BindingTransaction.run { transaction in
                let found = (transaction[a], transaction[b])
                transaction[a] += 1
                transaction[b] += 1
                return (found, (transaction[a], transaction[b]))
              }
              world.expect(made.0 == found.0 + 1 && made.1 == found.1 + 1, "\(found) became \(made)")
              world.expect([0, 10].contains(found.0) && [0, 100].contains(found.1), "it found \(found)")
            },
            world.task("modifier") {
              let old = a.modify { value in
                defer { value += 10 }
                return value
              }
              world.expect(old == 0 || old == 1, "modify found \(old)")
            },
            world.task("sender") { b.send(100) },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            world.expect(a.value == 11, "an update of a was lost: \(a.value)")
            world.expect(b.value == 100 || b.value == 101, "b holds \(b.value)")
            world.expect(a.version == 2 && b.version == 2, "versions \(a.version) and \(b.version)")
            for cell in [a, b] {
              cell.cell.locked { _, roster in world.expect(roster.claim == nil, "a claim was left behind") }
            }
          }
        }
      }

      @Test
      func `cells that a transaction only reads are validated`() throws {
        try explore("two transactions that read what the other writes") { world in
          let (a, b) = (BindableActor(1), BindableActor(1))
          // Each of the two cells may become zero, but not both.
          let tasks = [(a, b), (b, a)].map { me, other in
            world.task("leaver") {
              BindingTransaction.run { transaction in
                if transaction[other] == 1 { transaction[me] = 0 }
              }
            }
          }
          world.task("judge") {
            for task in tasks { await task.value }
            world.expect(a.value + b.value == 1, "a \(a.value), b \(b.value)")
          }
        }
      }

      @Test
      func `a transaction that throws has read one instant`() throws {
        try explore("a transaction that throws against another one") { world in
          let (a, b) = (BindableActor(10), BindableActor(0))
          world.task("mover") { move(1, from: a, to: b) }
          world.task("auditor") {
            do throws(Imbalance) {
              try BindingTransaction.run { (transaction) throws(Imbalance) in
                if transaction[a] + transaction[b] != 10 { throw Imbalance() }
              }
            } catch {
              world.fail("it saw half of a transaction, and said so")
            }
          }
        }
      }

      @Test
      func `G11 a transaction against finish`() throws {
        try explore("a transaction against finish") { world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let tasks = [
            world.task("transaction") { move(1, from: a, to: b) },
            world.task("finisher") { a.finish() },
            world.task("sender") { b.send(10) },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            let isDone = a.value == -1
            let expected = isDone ? [10, 11] : [10]
            world.expect(expected.contains(b.value), "a \(a.value), b \(b.value)")
            world.expect(a.version == (isDone ? 1 : 0), "version \(a.version)")
          }
        }
      }

      @Test
      func `the first reader that a transaction wakes sees all of it`() throws {
        try explore("between the wake-ups of a transaction", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let both = combineLatest(a, b)
          let loops = [(a, b), (b, a)].map { mine, other in
            world.task("reader") {
              for await value in mine.values where value != 0 {
                world.expect(other.value == -value, "\(value) here, \(other.value) there")
                let pair = both.value
                world.expect(pair.0 + pair.1 == 0, "half of a transaction: \(pair)")
                break
              }
            }
          }
          let reader = world.task("reader of both") {
            for await pair in both.values {
              world.expect(pair.0 + pair.1 == 0, "half of a transaction: \(pair)")
              if pair.0 != 0 { break }
            }
          }
          world.task("transaction") { move(1, from: a, to: b) }
          world.task("judge") {
            for loop in loops { await loop.value }
            await reader.value
          }
        }
      }

      @Test
      func `G17 a transaction that claims priority, against writers and the end`() throws {
        try explore(
          "a transaction that claims against writers and finish",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let (a, b) = (BindableActor(0), BindableActor(0))
          let runs = Log<Int>()
          let tasks = [
            world.task("transaction") {
              BindingTransaction.run { transaction in
                runs.append(transaction[a])
                // After several lost races, the transaction claims priority.
                if runs.all.count <= 4 { a.send(runs.all.count) }
                transaction[b] += 1
              }
            },
            world.task("mover") { move(1, from: b, to: a) },
            world.task("finisher") { a.finish() },
          ]
          world.task("judge") {
            for task in tasks { await task.value }
            world.expect(b.value == 1 || b.value == 0 && b.version == 2, "b holds \(b.value)")
            for cell in [a, b] {
              cell.cell.locked { _, roster in world.expect(roster.claim == nil, "a claim was left behind") }
            }
          }
        }
      }
    }
  }
#endif
