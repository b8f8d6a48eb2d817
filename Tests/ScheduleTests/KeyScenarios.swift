#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    /// Scenarios of sources of single keys, by themselves and in combinations.
    @Suite
    struct Keys {
      @Test
      func `G2 a combination with a key reads what was set before`() throws {
        try explore("a key is set, and read in a combination") { world in
          let cell = BindableDictionary(["a": 0])
          let other = BindableActor(1)
          let pair = combineLatest(cell.source(forKey: "a"), other)
          let reader = world.task("reader") {
            var last = -1
            for await (value, _) in pair.values {
              world.expect(value ?? -1 >= last, "\(value as Any) came after \(last)")
              last = value ?? -1
            }
            world.expect(last == 2, "ended on \(last)")
          }
          world.task("writer") {
            for number in 1...2 {
              cell.set(number, forKey: "a")
              world.expect(pair.value.0 == number, "had set \(number), and read \(pair.value.0 as Any)")
            }
            cell.finish()
            other.finish()
            await reader.value
          }
        }
      }

      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G17 two keys of one dictionary are read at one instant`(backlog: Backlog) throws {
        try explore(
          "batches of two keys against their combination, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let both = combineLatest(cell.source(forKey: "a"), cell.source(forKey: "b"))
          let values = both.values(backlog: backlog)
          let reader = world.task("reader") {
            var last: Int?
            for await (a, b) in values {
              world.expect(a == b, "saw \(a as Any) and \(b as Any)")
              last = a
            }
            world.expect(last == 3, "ended on \(last as Any)")
          }
          let writers = (0..<2).map { number in
            world.task("writer \(number)") {
              cell.modify {
                $0["a"]? += number + 1
                $0["b"]? += number + 1
              }
              let (a, b) = both.value
              world.expect(a == b, "read \(a as Any) and \(b as Any)")
            }
          }
          world.task("finisher") {
            for writer in writers { await writer.value }
            cell.finish()
            await reader.value
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
      }

      @Test
      func `G11 a watcher that begins at the end receives the last value`() throws {
        try explore("a watcher begins as the dictionary ends, while another key is delivered") { world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let all = cell.source(forKey: "a").values(backlog: .unbounded)
          let other = world.task("watcher of a") {
            var seen: [Int?] = []
            for await value in all { seen.append(value) }
            world.expect(seen == [0, 1] || seen == [0], "saw \(seen)")
          }
          world.task("writer of a") { cell.set(1, forKey: "a") }
          let finisher = world.task("writer of b") {
            cell.set(7, forKey: "b")
            cell.finish()
          }
          world.task("watcher of b") {
            var last: Int?
            for await value in cell.source(forKey: "b").values { last = value }
            world.expect(last == 7, "ended on \(last as Any)")
            await finisher.value
            await other.value
          }
        }
      }

      @Test
      func `G11 a batch that is being compared delays the end`() throws {
        try explore("batches against the end and two watchers", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let (all, newest) = (
            cell.source(forKey: "a").values(backlog: .unbounded), cell.source(forKey: "b").values
          )
          let readers = [
            world.task("watcher of a") {
              var seen: [Int] = []
              for await value in all { seen.append(value ?? -1) }
              world.expect(
                [[0, 1, 2], [0, 1, 12], [0, 11, 12]].contains { seen.starts(with: $0.prefix(2)) },
                "saw \(seen)"
              )
              world.expect(seen.last == cell["a"], "ended on \(seen), the dictionary on \(cell["a"] as Any)")
            },
            world.task("watcher of b") {
              var last: Int?
              for await value in newest { last = value }
              world.expect(
                last == cell["b"],
                "ended on \(last as Any), the dictionary on \(cell["b"] as Any)"
              )
            },
          ]
          let writer = world.task("writer of a key") { cell.modify(forKey: "a") { $0? += 1 } }
          world.task("writer of a batch") {
            await writer.value
            cell.modify { $0["a"]? += 10 }
            cell.finish()
            for reader in readers { await reader.value }
          }
          world.task("writer of another batch") { cell.modify { $0["b"]? += 5 } }
        }
      }

      @Test
      func `G11 the end waits for a batch that is not compared yet`() throws {
        try explore("a batch against the end and a watcher") { world in
          let cell = BindableDictionary(["a": 0])
          let values = cell.source(forKey: "a").values
          let watcher = world.task("watcher") {
            var last: Int?
            for await value in values { last = value }
            world.expect(last == cell["a"], "ended on \(last as Any), the dictionary on \(cell["a"] as Any)")
          }
          world.task("writer") { cell.modify { $0["a"] = 1 } }
          world.task("finisher") {
            cell.finish()
            await watcher.value
          }
        }
      }

      @Test
      func `G4 G9 keys with one hash come, go and are removed`() throws {
        try explore(
          "two keys with one hash are written, removed and watched",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (Clash("a"), Clash("b"))
          let cell = BindableDictionary([a: 0, b: 0])
          let all = cell.source(forKey: a).values(backlog: .unbounded)
          let newest = cell.source(forKey: b).values
          let readers = [
            world.task("watcher of a") {
              var seen: [Int?] = []
              for await value in all { seen.append(value) }
              world.expect(seen == [0, 1, nil], "saw \(seen)")
            },
            world.task("watcher of b") {
              var last: Int?
              for await value in newest { last = value }
              world.expect(last == 2, "ended on \(last as Any)")
            },
          ]
          let passerBy = world.task("passer-by") {
            var iterator = cell.source(forKey: b).values.makeAsyncIterator()
            _ = await iterator.next()
          }
          let writers = [
            world.task("writer of a") {
              cell.set(1, forKey: a)
              cell.removeValue(forKey: a)
            },
            world.task("writer of b") {
              cell.set(1, forKey: b)
              cell.set(2, forKey: b)
            },
          ]
          world.task("finisher") {
            for writer in writers { await writer.value }
            await passerBy.value
            cell.finish()
            for reader in readers { await reader.value }
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
      }

      @Test
      func `G8 a watcher is cancelled while its key is written`() throws {
        try explore(
          "a watcher is cancelled while its key is written",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cell = BindableDictionary(["a": 0])
          let source = cell.source(forKey: "a")
          let cancelled = world.task("cancelled watcher") {
            for await _ in source.values {}
          }
          let stays = world.task("watcher") {
            var last: Int?
            for await value in source.values { last = value }
            world.expect(last == 2, "ended on \(last as Any)")
          }
          world.task("canceller") { cancelled.cancel() }
          world.task("writer") {
            cell.set(1, forKey: "a")
            cell.modify { $0["a"] = 2 }
            cell.finish()
            await cancelled.value
            await stays.value
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
      }

      @Test
      func `G3 a watcher parks while a key with the same hash is written`() throws {
        try explore(
          "a watcher parks while a key with the same hash is written",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let (a, b) = (Clash("a"), Clash("b"))
          let cell = BindableDictionary([a: 0, b: 0])
          let values = cell.source(forKey: a).values
          // No end of the dictionary wakes the watcher.
          let watcher = world.task("watcher of a") {
            for await value in values where value == 1 { return }
          }
          let others = (1...3).map { number in
            world.task("writer \(number) of b") { cell.set(number, forKey: b) }
          }
          world.task("writer of a") {
            for other in others { await other.value }
            cell.set(1, forKey: a)
            await watcher.value
          }
        }
      }

      @Test
      func `G4 a reader of all values begins while a reader of the newest looks the key up`() throws {
        try explore(
          "a reader of all values begins during a lookup",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cell = BindableDictionary(["a": 0])
          let source = cell.source(forKey: "a")
          let newest = world.task("reader of the newest") { for await _ in source.values {} }
          let all = world.task("reader of all") {
            var seen: [Int] = []
            for await value in source.values(backlog: .unbounded) { seen.append(value ?? -1) }
            let first = seen.first ?? 3
            world.expect(seen == Array(first...3), "saw \(seen)")
          }
          world.task("writer") {
            for number in 1...3 { cell.set(number, forKey: "a") }
            cell.finish()
            await newest.value
            await all.value
          }
        }
      }

      @Test
      func `G10 a value that is replaced during a look is released without a lock`() throws {
        try explore("a value of another key is replaced during a look") { world in
          let (a, b) = (Clash("a"), Clash("b"))
          let cell = BindableDictionary([a: Mortal {}, b: Mortal {}])
          let source = cell.source(forKey: a)
          let keyCell = source.cursor.root.cell
          let watcher = world.task("watcher of a") { for await _ in source.values {} }
          world.task("writer of b") {
            for _ in 1...3 { cell.set(Mortal { [weak keyCell] in _ = keyCell?.version }, forKey: b) }
            cell.finish()
            await watcher.value
          }
        }
      }
    }
  }

  /// An object that calls a closure when it is deallocated.
  private final class Mortal: Sendable {
    private let death: @Sendable () -> Void

    init(_ death: @escaping @Sendable () -> Void) {
      self.death = death
    }

    deinit {
      death()
    }
  }

  /// A key that has the same hash as all others.
  struct Clash: Hashable, Sendable {
    let name: String

    init(_ name: String) {
      self.name = name
    }

    func hash(into hasher: inout Hasher) {}
  }
#endif
