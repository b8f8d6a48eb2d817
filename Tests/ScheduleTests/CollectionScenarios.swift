#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    @Suite
    struct Collections {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 G5 a reader that applies each change has the cell's value`(backlog: Backlog) throws {
        try explore(
          "two edits of an array against a reader, \(backlog)",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cell = BindableArray([0])
          let changes = cell.changes(backlog: backlog)
          let reader = world.task("reader") {
            var rows: [Int] = []
            var version: UInt64?
            for await change in changes {
              rows.apply(change)
              world.expect(rows == Array(change.value), "had \(rows) and received \(change.value)")
              if let version {
                world.expect(
                  change.version == version + 1 + UInt64(change.skipped),
                  "skipped \(change.skipped)"
                )
              }
              version = change.version
            }
            world.expect(rows == Array(cell.value), "ended on \(rows), the cell on \(cell.value)")
          }
          let writers = [1, 2].map { number in
            world.task("writer \(number)") {
              cell.append(number)
              cell.modify { $0.insert(number * 10, at: 0) }
            }
          }
          world.task("finisher") {
            for writer in writers { await writer.value }
            world.expect(cell.count == 5, "\(cell.value)")
            cell.finish()
            await reader.value
          }
        }
      }

      @Test(arguments: [Backlog.unbounded, .latest])
      func `G3 G5 results of operators equal what they compute from the whole array`(backlog: Backlog)
        throws
      {
        try explore(
          "two edits of an array against its operators, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          let cell = BindableArray([1, 2, 3, 4, 5, 6])
          let limit = BindableActor(3)
          let predicates = limit.map { limit in { @Sendable (element: Int) in element < limit } }
          let readers = [
            world.follow(cell.mapElements { -$0 }, backlog) { cell.value.map { -$0 } },
            world.follow(cell.sorted(by: >), backlog) { cell.value.sorted(by: >) },
            world.follow(cell.filterElements { $0 % 2 == 0 }, backlog) { cell.value.filter { $0 % 2 == 0 } },
            world.follow(cell.filterElements(by: predicates), backlog) {
              cell.value.filter { $0 < limit.value }
            },
          ]
          let writers = [
            world.task("mover") {
              cell.move(from: 1, to: 3)
              cell.update(8, at: 0)
            },
            world.task("changer") {
              cell.modify { list in
                list.move(from: 1, to: 5)
                list.move(from: 0, to: 2)
                list.insert(0, at: 1)
              }
              BindingTransaction.run { transaction in
                transaction[cell].remove(at: 2)
                transaction[limit] = 4
              }
            },
          ]
          world.task("finisher") {
            for writer in writers { await writer.value }
            cell.finish()
            limit.finish()
            for reader in readers { await reader.value }
          }
        }
      }

      @Test
      func `G5 a reader receives what differs after a writer edits an older copy`() throws {
        try explore("two branches of an array against a reader", within: ExplorationBudget(depthFirst: 2000))
        { world in
          let cell = BindableArray(["a"])
          let before = cell.value
          let reader = world.follow(cell, .unbounded) { Array(cell.value) }
          let writer = world.task("writer") {
            cell.append("b")
            var other = before
            other.append("c")
            cell.send(other)
            cell.move(from: 0, to: 1)
          }
          world.task("finisher") {
            await writer.value
            cell.finish()
            await reader.value
          }
        }
      }

      @Test(arguments: [Backlog.unbounded, .latest])
      func `G3 G5 a reader that applies each change has the dictionary's value`(backlog: Backlog) throws {
        try explore(
          "two writers of a dictionary against a reader, \(backlog)",
          within: ExplorationBudget(depthFirst: 2000)
        ) {
          world in
          // The first two keys have one hash. The hash of the third key differs from it only at the last level.
          let keys = [Key(0, 7), Key(1, 7), Key(2, 7 | 1 << 62)]
          let cell = BindableDictionary([keys[0]: 0])
          let changes = cell.changes(backlog: backlog)
          let evens = cell.filterElements { $0 % 2 == 0 }.changes(backlog: backlog)
          let readers = [
            world.task("reader") {
              var rows: [Key: Int] = [:]
              for await change in changes {
                rows.apply(change)
                world.expect(rows == Dictionary(change.value), "had \(rows) and received \(change.value)")
              }
              world.expect(rows == Dictionary(cell.value), "ended on \(rows), the cell on \(cell.value)")
            },
            world.task("reader of even ones") {
              var rows: [Key: Int] = [:]
              for await change in evens { rows.apply(change) }
              let expected = Dictionary(cell.value).filter { $0.value % 2 == 0 }
              world.expect(rows == expected, "ended on \(rows), the cell on \(cell.value)")
            },
          ]
          let writers = [
            world.task("writer") {
              cell.set(1, forKey: keys[0])
              cell.set(2, forKey: keys[1])
            },
            world.task("remover") {
              cell.set(4, forKey: keys[2])
              cell.removeValue(forKey: keys[0])
            },
          ]
          world.task("finisher") {
            for writer in writers { await writer.value }
            cell.finish()
            for reader in readers { await reader.value }
          }
        }
      }

      @Test
      func `G4 G6 a watcher of a key misses nothing from its beginning on`() throws {
        try explore("a watcher of a key against its writers", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableDictionary(["a": 0])
          let writer = world.task("writer") {
            cell.set(1, forKey: "a")
            cell.set(2, forKey: "a")
          }
          let watcher = world.task("watcher") {
            var seen: [Int] = []
            for await value in cell.source(forKey: "a").values(backlog: .unbounded) {
              seen.append(value ?? -1)
            }
            world.expect([[0, 1, 2], [1, 2], [2]].contains(seen), "saw \(seen)")
          }
          world.task("finisher") {
            await writer.value
            cell.finish()
            await watcher.value
          }
        }
      }

      @Test
      func `G6 a watcher that begins while another one stops or begins misses nothing`() throws {
        try explore("two come to watch keys at once", within: ExplorationBudget(depthFirst: 3000)) { world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let passerBy = world.task("passer-by") {
            var iterator = cell.source(forKey: "b").values.makeAsyncIterator()
            _ = await iterator.next()
          }
          let watcher = world.task("watcher") {
            let all = cell.source(forKey: "a").values(backlog: .unbounded)
            cell.set(1, forKey: "a")
            cell.set(2, forKey: "a")
            cell.finish()
            var seen: [Int] = []
            for await value in all { seen.append(value ?? -1) }
            world.expect(seen == [0, 1, 2], "saw \(seen)")
          }
          world.task("judge") {
            await passerBy.value
            await watcher.value
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
      }

      @Test
      func `G2 G3 two writers of watched keys`() throws {
        try explore("two writers of watched keys", within: ExplorationBudget(depthFirst: 3000)) { world in
          let cell = BindableDictionary<String, Int>()
          let streams = ["a", "b"].map { cell.source(forKey: $0).values(backlog: .unbounded) }
          let newest = cell.source(forKey: "a").values
          let readers = streams.map { stream in
            world.task("watcher") {
              var seen: [Int?] = []
              for await value in stream { seen.append(value) }
              world.expect(seen == [nil, 1, 2], "saw \(seen)")
            }
          }
          let last = world.task("newest") {
            var seen: [Int?] = []
            for await value in newest { seen.append(value) }
            world.expect(seen.last == 2, "saw \(seen)")
          }
          let writers = ["a", "b"].map { key in
            world.task("writer of \(key)") {
              cell.set(1, forKey: key)
              cell.set(2, forKey: key)
            }
          }
          world.task("finisher") {
            for writer in writers { await writer.value }
            cell.finish()
            for reader in readers { await reader.value }
            await last.value
          }
        }
      }

      @Test
      func `G11 a dictionary ends as a watcher begins`() throws {
        try explore("a dictionary ends as a watcher begins", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableDictionary(["a": 0])
          world.task("watcher") {
            var seen: [Int] = []
            for await value in cell.source(forKey: "a").values { seen.append(value ?? -1) }
            world.expect(seen == [0] || seen == [0, 1] || seen == [1], "saw \(seen)")
          }
          world.task("writer") {
            cell.set(1, forKey: "a")
            cell.finish()
          }
        }
      }

      @Test
      func `G4 G5 watched keys, written one at a time and all at once`() throws {
        try explore("a key and a batch against watchers", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let all = cell.source(forKey: "a").values(backlog: .unbounded)
          let other = cell.source(forKey: "b").values
          let reader = world.task("watcher of a") {
            var seen: [Int] = []
            for await value in all { seen.append(value ?? -1) }
            world.expect([[0, 1, 11], [0, 10, 1]].contains(seen), "saw \(seen)")
          }
          let leaver = world.task("watcher of b") {
            var iterator = other.makeAsyncIterator()
            let first = await iterator.next()
            world.expect([0, 10].contains(first), "saw \(first as Any)")
          }
          let writers = [
            world.task("writer of a key") { cell.set(1, forKey: "a") },
            world.task("writer of a batch") {
              cell.modify {
                $0["a"]? += 10
                $0["b"]? += 10
              }
            },
          ]
          world.task("finisher") {
            for writer in writers { await writer.value }
            await leaver.value
            cell.finish()
            await reader.value
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
      }

      @Test
      func `G1 changes of keys in place lose nothing`() throws {
        try explore("two writers of one key and a batch", within: ExplorationBudget(depthFirst: 3000)) {
          world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let writers = [
            world.task("first") { cell.modify(forKey: "a") { $0? += 1 } },
            world.task("second") {
              cell.modify(forKey: "a") { $0? += 10 }
              cell.set(5, forKey: "b")
            },
            world.task("batch") { cell.modify { $0["a"]? += 100 } },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            world.expect(Dictionary(cell.value) == ["a": 111, "b": 5], "\(cell.value)")
            world.expect(cell.version == 4, "version \(cell.version)")
          }
        }
      }

      @Test
      func `G6 G13 the last watcher leaves as another one begins, beside a writer`() throws {
        try explore(
          "watchers of keys come and go while one is written",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cell = BindableDictionary(["a": 0])
          let passersBy = [1, 2].map { number in
            world.task("passer-by \(number)") {
              var iterator = cell.source(forKey: "a").values.makeAsyncIterator()
              _ = await iterator.next()
            }
          }
          let writer = world.task("writer") {
            cell.set(1, forKey: "a")
            cell.set(2, forKey: "a")
          }
          let watcher = world.task("watcher") {
            var last: Int?
            for await value in cell.source(forKey: "a").values {
              world.expect(last.map { $0 < value ?? -1 } ?? true, "\(value as Any) came after \(last as Any)")
              last = value
            }
            world.expect(last == 2, "ended on \(last as Any)")
          }
          world.task("finisher") {
            await writer.value
            for passerBy in passersBy { await passerBy.value }
            cell.finish()
            await watcher.value
            world.expect(cell.observerCount == 0, "\(cell.observerCount) observers are left")
          }
        }
      }

      @Test
      func `G6 a watcher that begins beside others and a writer receives nothing outdated`() throws {
        try explore(
          "a watcher begins beside another, after a write",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let cell = BindableDictionary(["a": 0])
          let source = cell.source(forKey: "a")
          world.task("first watcher") {
            var iterator = source.values.makeAsyncIterator()
            _ = await iterator.next()
          }
          world.task("writer") { cell.set(1, forKey: "a") }
          world.task("writer and watcher") {
            let before = cell.version
            cell.set(2, forKey: "a")
            var iterator = source.values.makeAsyncIterator()
            let value = await iterator.next()
            // The other writer may write after this write, or before it.
            world.expect(value == 2 || before == 0 && value == 1, "had written 2, saw \(value as Any)")
            world.expect(!(value == 1 && cell["a"] == 2), "saw 1, though 2 came after it")
          }
        }
      }
    }
  }

  /// A key whose hash is known.
  private struct Key: Hashable, Sendable {
    let number: Int
    let hashValue: Int

    init(_ number: Int, _ hash: Int) {
      self.number = number
      hashValue = hash
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hashValue) }
  }

  extension ExplorationWorld {
    /// Rebuilds an array from its changes, and checks the last result.
    fileprivate func follow<Element: Equatable>(
      _ source: some BindingSource<PersistentArray<Element>>,
      _ backlog: Backlog,
      _ expected: @escaping @Sendable () -> [Element]
    ) -> Task<Void, Never> {
      let changes = source.changes(backlog: backlog)
      return task("reader") {
        var rows: [Element] = []
        for await change in changes {
          rows.apply(change)
          self.expect(rows == Array(change.value), "had \(rows) and received \(change.value)")
        }
        self.expect(rows == expected(), "ended on \(rows) in place of \(expected())")
      }
    }
  }
#endif
