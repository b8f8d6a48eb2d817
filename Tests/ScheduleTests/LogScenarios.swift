#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Synchronization
  import Testing

  extension Schedules {
    /// Unbounded readers that join, read and leave at once: the log keeps what a reader still wants, and nothing else.
    @Suite
    struct Logs {
      @Test
      func `G14 a slow reader leaves while a fast one reads`() throws {
        try explore("a slow reader leaves against a fast one") { world in
          let living = Living()
          let cell = BindableActor(living.number(0))
          let slow = Holder(KeptStream(of: cell))
          let fast = cell.values(backlog: .unbounded)
          cell.send(living.number(1))
          let leaver = world.task("leaver") { slow.empty() }
          let writer = world.task("writer") { cell.send(living.number(2)) }
          world.task("reader") {
            var values = fast.makeAsyncIterator()
            for number in 0...2 {
              let next = await values.next()
              world.expect(next?.value == number, "\(next?.value ?? -1) came instead of \(number)")
            }
            await leaver.value
            await writer.value
            world.expect(living.count == 1, "\(living.count) values are kept, though all were read")
            cell.send(living.number(3))
            _ = await values.next()
            world.expect(living.count == 1, "a reader that has left still counts for later values")
          }
        }
      }

      @Test
      func `G14 two readers leave while a third reads`() throws {
        try explore("two readers leave against a third") { world in
          let living = Living()
          let cell = BindableActor(living.number(0))
          let leavers = (1...2).map { _ in Holder(KeptStream(of: cell)) }
          let last = cell.values(backlog: .unbounded)
          for number in 1...2 { cell.send(living.number(number)) }
          let tasks = leavers.map { leaver in world.task("leaver") { leaver.empty() } }
          world.task("reader") {
            var values = last.makeAsyncIterator()
            for _ in 0...1 { _ = await values.next() }
            for task in tasks { await task.value }
            world.expect(living.count == 1, "\(living.count) values are kept")
            for number in 3...4 {
              cell.send(living.number(number))
              let next = await values.next()
              world.expect(next?.value == number - 1, "\(next?.value ?? -1) came instead of \(number - 1)")
            }
            world.expect(living.count == 1, "readers that have left still count")
          }
        }
      }

      @Test
      func `G6 a reader joins at the newest value while another takes it`() throws {
        try explore("a reader joins against the last reader of a value") { world in
          let living = Living()
          let cell = BindableActor(living.number(0))
          let first = cell.values(backlog: .unbounded)
          let writer = world.task("writer") { cell.send(living.number(1)) }
          let joined = world.task("joins") {
            var values = cell.values(backlog: .unbounded).makeAsyncIterator()
            await expect(0...1, from: &values, world)
          }
          world.task("takes") {
            var values = first.makeAsyncIterator()
            await expect(0...1, from: &values, world)
            await joined.value
            await writer.value
            world.expect(living.count == 1, "\(living.count) values are kept")
          }
        }
      }

      // Receives these numbers, or only the last of them.
      private func expect(
        _ numbers: ClosedRange<Int>,
        from values: inout BindingStream<CellCursor<Living.Number>>.Iterator,
        _ world: ExplorationWorld
      ) async {
        guard let first = await values.next()?.value else { return world.fail("there is no value") }
        guard numbers.contains(first) else { return world.fail("began with \(first)") }
        for number in (first + 1)..<(numbers.upperBound + 1) {
          let next = await values.next()?.value
          world.expect(next == number, "\(next ?? -1) came instead of \(number)")
        }
      }
    }
  }

  /// A stream that no loop reads.
  private final class KeptStream: Sendable {
    private let stream: BindingStream<CellCursor<Living.Number>>

    init(of cell: BindableActor<Living.Number>) {
      stream = cell.values(backlog: .unbounded)
    }
  }

  /// Counts the objects that are alive.
  private final class Living: Sendable {
    private let objects = Atomic(0)

    var count: Int { objects.load(ordering: .sequentiallyConsistent) }

    func number(_ value: Int) -> Number { Number(value, in: self) }

    final class Number: Sendable {
      let value: Int
      private let living: Living

      init(_ value: Int, in living: Living) {
        self.value = value
        self.living = living
        living.objects.add(1, ordering: .sequentiallyConsistent)
      }

      deinit {
        living.objects.subtract(1, ordering: .sequentiallyConsistent)
      }
    }
  }
#endif
