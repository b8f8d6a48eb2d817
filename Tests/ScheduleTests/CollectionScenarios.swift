#if EXPLORER
  import ActorBindings
  import Explorer
  import Testing

  extension Schedules {
    @Suite
    struct Collections {
      @Test(arguments: [Backlog.latest, .bounded(2), .unbounded])
      func `G3 G5 whoever applies each change has what the cell holds`(backlog: Backlog) throws {
        try explore("two edits of an array against a reader, \(backlog)", Effort(depthFirst: 3000)) { world in
          let cell = BindableArray([0])
          let changes = cell.changes(backlog: backlog)
          let reader = world.task("reader") {
            var rows: [Int] = []
            var version: UInt64?
            for await change in changes {
              rows.apply(change)
              world.expect(rows == Array(change.value), "had \(rows) and was told \(change.value)")
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

      @Test
      func `G4 G6 a watcher of a key misses nothing from its beginning on`() throws {
        try explore("a watcher of a key against who writes it", Effort(depthFirst: 3000)) { world in
          let cell = BindableDictionary(["a": 0])
          let writer = world.task("writer") {
            cell.set(1, for: "a")
            cell.set(2, for: "a")
          }
          let watcher = world.task("watcher") {
            var seen: [Int] = []
            for await value in cell[source: "a"].values(backlog: .unbounded) { seen.append(value ?? -1) }
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
      func `G6 who begins to watch while another stops, or begins too, misses nothing`() throws {
        try explore("two come to watch keys at once", Effort(depthFirst: 3000)) { world in
          let cell = BindableDictionary(["a": 0, "b": 0])
          let passerBy = world.task("passer-by") {
            var iterator = cell[source: "b"].values.makeAsyncIterator()
            _ = await iterator.next()
          }
          let watcher = world.task("watcher") {
            let all = cell[source: "a"].values(backlog: .unbounded)
            cell.set(1, for: "a")
            cell.set(2, for: "a")
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
        try explore("two writers of watched keys", Effort(depthFirst: 3000)) { world in
          let cell = BindableDictionary<String, Int>()
          let streams = ["a", "b"].map { cell[source: $0].values(backlog: .unbounded) }
          let newest = cell[source: "a"].values
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
              cell.set(1, for: key)
              cell.set(2, for: key)
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
      func `G11 a dictionary ends as somebody begins to watch`() throws {
        try explore("a dictionary ends as somebody begins to watch", Effort(depthFirst: 3000)) { world in
          let cell = BindableDictionary(["a": 0])
          world.task("watcher") {
            var seen: [Int] = []
            for await value in cell[source: "a"].values { seen.append(value ?? -1) }
            world.expect(seen == [0] || seen == [0, 1] || seen == [1], "saw \(seen)")
          }
          world.task("writer") {
            cell.set(1, for: "a")
            cell.finish()
          }
        }
      }
    }
  }
#endif
