#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  /// A captured object that reports its release.
  private final class Capture: Sendable {
    private let isReleased: Flag

    init(_ isReleased: Flag) {
      self.isReleased = isReleased
    }

    deinit {
      isReleased.set()
    }
  }

  private func observe(
    _ cell: BindableActor<Int>,
    on context: DeliveryContext,
    _ isReleased: Flag
  ) -> BindingToken {
    let capture = Capture(isReleased)
    return cell.observe(on: context) { _ in withExtendedLifetime(capture) {} }
  }

  private actor Host {
    func observe(_ cell: BindableActor<Int>, _ isReleased: Flag) -> BindingToken {
      let capture = Capture(isReleased)
      return cell.observe { _ in withExtendedLifetime(capture) {} }
    }
  }

  extension Schedules {
    @Suite
    struct Lanes {
      @Test
      func `G13 captures are released when cancelAndWait returns`() throws {
        try explore("captures against cancelAndWait") { world in
          let cell = BindableActor(0)
          let context = world.context()
          let isReleased = Flag()
          let token = observe(cell, on: context, isReleased)
          let other = cell.observe(on: context) { _ in }
          world.task("writer") { cell.send(1) }
          for name in ["first canceller", "second canceller"] {
            world.task(name) {
              await token.cancelAndWait()
              world.expect(isReleased.isSet, "\(name): what the handler captured is held")
              world.expect(cell.observerCount == 1, "\(name): \(cell.observerCount) count")
              withExtendedLifetime(other) {}
            }
          }
        }
      }

      @Test
      func `G13 captures that belong to an actor are released when cancelAndWait returns elsewhere`() throws {
        try explore("captures on an actor against cancelAndWait") { world in
          let cell = BindableActor(0)
          let host = Host()
          world.task("canceller") {
            let isReleased = Flag()
            let token = await host.observe(cell, isReleased)
            await token.cancelAndWait()
            world.expect(isReleased.isSet, "what the handler captured is held")
            world.expect(cell.observerCount == 0, "it still counts")
          }
          world.task("writer") { cell.send(1) }
        }
      }

      @Test
      func `G3 turns that end within a pass, against writers, a cancellation and an arrival`() throws {
        try explore("interrupted passes") { world in
          let cell = BindableActor(0)
          let time = Log<UInt64>()
          // Each call takes longer than a turn.
          let context = world.context { 3_000_000 * UInt64(time.all.count) }
          let seen = (0..<4).map { _ in Log<Int>() }
          let tokens = seen.prefix(3).map { seen in
            cell.observe(on: context) { value in
              seen.append(value)
              time.append(1)
            }
          }
          let tasks = [
            world.task("writer") {
              cell.send(1)
              cell.send(2)
            },
            world.task("canceller") { await tokens[1].cancelAndWait() },
          ]
          world.task("judge") {
            let late = cell.observe(on: context) { seen[3].append($0) }
            for task in tasks { await task.value }
            let calls = seen[1].all.count
            await cell.settled()
            for index in [0, 2, 3] {
              world.expectRising(seen[index].all, "observer \(index)")
              world.expect(seen[index].all.last == 2, "observer \(index) ended on \(seen[index].all)")
            }
            world.expect(seen[1].all.count == calls, "called after it was cancelled")
            world.expect(cell.observerCount == 3, "\(cell.observerCount) count")
            withExtendedLifetime((tokens, late)) {}
          }
        }
      }

      @Test
      func `settled against turns that end within a pass`() throws {
        try explore("settled against interrupted passes") { world in
          let cell = BindableActor(0)
          let time = Log<UInt64>()
          let context = world.context { 3_000_000 * UInt64(time.all.count) }
          let seen = (0..<3).map { _ in Log<Int>() }
          let tokens = seen.map { seen in
            cell.observe(on: context) { value in
              seen.append(value)
              time.append(1)
            }
          }
          world.task("writer") {
            cell.send(1)
            await cell.settled()
            for (index, seen) in seen.enumerated() {
              world.expect(
                (seen.all.last ?? 0) >= 1,
                "settled() returned, and observer \(index) saw \(seen.all)"
              )
            }
            withExtendedLifetime(tokens) {}
          }
          world.task("another writer") { cell.send(2) }
        }
      }

      @Test
      func `finish against turns that end within a pass`() throws {
        try explore("finish against interrupted passes") { world in
          let cell = BindableActor(0)
          let time = Log<UInt64>()
          let context = world.context { 3_000_000 * UInt64(time.all.count) }
          let seen = (0..<3).map { _ in Log<Int>() }
          let tokens = seen.map { seen in
            cell.observe(on: context, backlog: .unbounded) { value in
              seen.append(value)
              time.append(1)
            }
          }
          world.task("writer") {
            cell.send(1)
            cell.finish()
            await cell.settled()
            for (index, seen) in seen.enumerated() {
              world.expect(seen.all == [0, 1], "observer \(index) saw \(seen.all)")
            }
            world.expect(cell.observerCount == 0, "\(cell.observerCount) count")
            withExtendedLifetime(tokens) {}
          }
        }
      }

      @Test
      func `a look at a cell changes nothing`() throws {
        try explore("diagnostics against delivery", within: ExplorationBudget(depthFirst: 3000)) { world in
          let cell = BindableActor(0)
          let context = world.context()
          let seen = Log<Int>()
          let token = cell.observe(on: context, backlog: .unbounded) { seen.append($0) }
          let other = cell.observe(on: context) { _ in }
          let writer = world.task("writer") {
            cell.send(1)
            cell.send(2)
          }
          let canceller = world.task("canceller") { other.cancel() }
          world.task("reader of diagnostics") {
            for _ in 0..<2 {
              let diagnostics = cell.diagnostics
              world.expect((1...2).contains(diagnostics.observers.count), "\(diagnostics)")
              world.expect(
                diagnostics.observers.allSatisfy { $0.lag <= diagnostics.version + 1 },
                "\(diagnostics)"
              )
            }
            await writer.value
            await canceller.value
            await cell.settled()
            world.expect(seen.all == [0, 1, 2], "the observer saw \(seen.all)")
            let diagnostics = cell.diagnostics
            world.expect(diagnostics.observers.map(\.lag) == [0], "\(diagnostics)")
            withExtendedLifetime(token) {}
          }
        }
      }
    }
  }
#endif
