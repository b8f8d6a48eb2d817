#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  private struct Pair: Sendable, Equatable {
    var left = 0
    var right = 0
  }

  extension Schedules {
    /// Scenarios of writers of different parts of one cell.
    @Suite
    struct Parts {
      @Test
      func `G1 writers of two parts lose nothing of each other`() throws {
        try explore(
          "two lenses of one cell against a write of the whole",
          within: ExplorationBudget(depthFirst: 3000)
        ) {
          world in
          let cell = BindableActor(Pair())
          let writers = [
            world.task("left") { cell.lens(\.left).send(1) },
            world.task("right") { cell.lens(\.right).modify { $0 += 1 } },
            world.task("both") {
              cell.modify { pair in
                pair.left += 10
                pair.right += 10
              }
            },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            let pair = cell.value
            world.expect(pair.right == 11, "the right part is \(pair.right)")
            world.expect(pair.left == 1 || pair.left == 11, "the left part is \(pair.left)")
            world.expect(cell.version == 3, "\(cell.version) updates")
          }
        }
      }

      @Test
      func `G3 a two-way binding of a part puts back no other part`() throws {
        try explore(
          "a part bound two ways against writes of both parts",
          within: ExplorationBudget(depthFirst: 3000)
        ) { world in
          let (cell, field) = (BindableActor(Pair()), BindableActor(0))
          cell.bindTwoWay(\.left, to: field)
          let writers = [
            world.task("field") { field.send(1) },
            world.task("right") {
              cell.lens(\.right).modify { $0 += 1 }
              cell.lens(\.right).modify { $0 += 1 }
            },
          ]
          world.task("judge") {
            for writer in writers { await writer.value }
            await cell.settled()
            world.expect(cell.value == Pair(left: 1, right: 2), "the cell ended on \(cell.value)")
            world.expect(field.value == 1, "the field ended on \(field.value)")
            // One write of the binding, if the field was written after the binding began.
            world.expect(cell.version == 3 && field.version == 1, "\(cell.version), \(field.version) updates")
          }
        }
      }
    }
  }
#endif
