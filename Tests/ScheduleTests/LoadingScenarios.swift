#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
  import Testing

  extension Schedules {
    @Suite
    struct LoadingAndActions {
      @Test
      func `G8 what a sequence yields, against a cancel`() throws {
        try explore("a sequence is followed, and cancelled", within: ExplorationBudget(depthFirst: 8_000)) {
          world in
          let (source, cell) = (BindableActor(0), BindableActor(-1))
          let (isOver, ends) = (Flag(), Log<Bool>())
          let token = cell.follow(
            source.values(backlog: .unbounded),
            applying: { value, element in
              world.expect(!isOver.isSet, "\(element) was written after it was cancelled and waited for")
              value = element
            },
            onEnd: { end in
              if case .cancelled = end { ends.append(true) } else { ends.append(false) }
            }
          )
          world.task("canceller") {
            await token.cancelAndWait()
            isOver.set()
          }
          world.task("writer") {
            source.send(1)
            source.finish()
          }
          world.finally {
            world.expect(ends.all.count == 1, "its end was reported \(ends.all.count) times")
            world.expect(
              token.isCancelled == ends.all.first,
              "cancelled: \(token.isCancelled), reported: \(ends.all)"
            )
            world.expect(ends.all.first == true || cell.value == 1, "it ended on \(cell.value)")
            let left = cell.cell.locked { $0.endWaiterCount }
            world.expect(left == 0, "\(left) still wait for the end of the cell")
          }
        }
      }

      @Test
      func `G8 G11 a feed that drops, against a cancellation and the end`() throws {
        try explore(
          "a feed drops its line, and is cancelled as its cell ends",
          within: ExplorationBudget(depthFirst: 8_000)
        ) {
          world in
          let (cell, link) = (BindableActor(-1), BindableActor(LinkState.idle))
          let (opened, ends, isOver) = (Log<Int>(), Log<String>(), Flag())
          let retry = RetryPolicy { attempt, _ in attempt < 3 ? .zero : nil }
          let token = cell.follow(retry: retry, clock: ImmediateClock(), link: link) {
            world.expect(!isOver.isSet, "the feed was opened after the cancellation was waited for")
            opened.append(opened.count)
            return DroppingLine(number: opened.count)
          } applying: { value, element in
            world.expect(!isOver.isSet, "\(element) was written after the cancellation was waited for")
            value = element
          } onEnd: { end in
            ends.append("\(LinkState.ended(end))")
          }
          world.task("canceller") { token.cancel() }
          world.task("finisher") { cell.finish() }
          world.finally {
            isOver.set()
            world.expect(ends.count == 1, "its end was reported \(ends.count) times")
            world.expect("\(link.value)" == ends.all.first, "the link shows \(link.value), not \(ends.all)")
            world.expect(!token.isActive, "it still follows")
            let left = cell.cell.locked { $0.endWaiterCount }
            world.expect(left == 0, "\(left) still wait for the end of the cell")
          }
        }
      }

      @Test
      func `G8 what a feed yields, against cancelAndWait`() throws {
        try explore(
          "a feed that is opened again, against cancelAndWait",
          within: ExplorationBudget(depthFirst: 8_000)
        ) {
          world in
          let cell = BindableActor(-1)
          let (opened, isOver) = (Log<Int>(), Flag())
          let retry = RetryPolicy { attempt, _ in attempt < 3 ? .zero : nil }
          let token = cell.follow(retry: retry, clock: ImmediateClock()) {
            opened.append(opened.count)
            return DroppingLine(number: opened.count)
          } applying: { value, element in
            world.expect(!isOver.isSet, "\(element) was written after the cancellation was waited for")
            value = element
          }
          world.task("canceller") {
            await token.cancelAndWait()
            isOver.set()
          }
        }
      }

      @Test
      func `G11 G13 a cell ends while it begins to follow`() throws {
        try explore(
          "a cell ends while it begins to follow two sequences",
          within: ExplorationBudget(depthFirst: 8_000)
        ) {
          world in
          let (source, cell) = (BindableActor(0), BindableActor(-1))
          let ends = Log<Int>()
          for number in 1...2 {
            world.task("follower \(number)") {
              cell.follow(source.values) { _ in ends.append(number) }
            }
          }
          world.task("finisher") { cell.finish() }
          world.finally {
            world.expect(ends.all.sorted() == [1, 2], "reported ends: \(ends.all)")
            world.expect(source.observerCount == 0, "\(source.observerCount) read the source")
          }
        }
      }

      @Test
      func `G11 G13 sequences end while their cell does`() throws {
        try explore("sequences end while their cell does", within: ExplorationBudget(depthFirst: 8_000)) {
          world in
          let (source, cell) = (BindableActor(0), BindableActor(-1))
          let ends = Log<Int>()
          cell.follow(BindableActor(7).values(backlog: .unbounded)) { _ in ends.append(1) }
          cell.follow(source.values) { _ in ends.append(2) }
          let silent = BindableActor(0)
          cell.follow(silent.values) { _ in ends.append(3) }
          world.task("source") { source.finish() }
          world.task("finisher") { cell.finish() }
          world.finally {
            world.expect(ends.all.sorted() == [1, 2, 3], "reported ends: \(ends.all)")
            world.expect(
              silent.observerCount == 0,
              "\(silent.observerCount) read the source that does not end"
            )
          }
        }
      }

      @Test
      func `the newest request wins, against a load that ends`() throws {
        try explore("two reloads", within: ExplorationBudget(depthFirst: 3_000)) { world in
          let (calls, running) = (Log<Int>(), Log<Int>())
          let cell = LoadingCell { () async -> Int in
            let number = calls.count + 1
            calls.append(number)
            world.expect(
              running.count == 2 * (number - 1),
              "load \(number) began before the previous one had ended"
            )
            running.append(number)
            defer { running.append(-number) }
            return number
          }
          for name in ["one", "another one"] {
            world.task(name) {
              let before = calls.count
              let content = try? await cell.reload()
              world.expect((content ?? 0) > before, "\(name) received load \(content ?? 0)")
            }
          }
          world.finally {
            world.expect(cell.value.content == calls.count, "\(cell.value), though \(calls.count) were begun")
            world.expect(!cell.value.isLoading, "it is \(cell.value)")
          }
        }
      }

      @Test
      func `a cancel against a load and its end`() throws {
        try explore("a load is cancelled, and asked for again", within: ExplorationBudget(depthFirst: 8_000))
        { world in
          let calls = Log<Int>()
          let cell = LoadingCell { () async -> Int in
            calls.append(calls.count + 1)
            return calls.count
          }
          world.task("loader") {
            _ = try? await cell.load()
            let content = try? await cell.load()
            world.expect(content != nil || calls.count < 3, "it was cancelled twice")
          }
          world.task("canceller") { cell.cancel() }
          world.finally {
            world.expect(!cell.value.isLoading, "it is \(cell.value)")
            world.expect(cell.value.content == calls.count, "\(cell.value), though \(calls.count) were begun")
          }
        }
      }

      @Test
      func `G13 a loading cell is released while it loads`() throws {
        try explore("a loading cell ends while it loads", within: ExplorationBudget(depthFirst: 8_000)) {
          world in
          let cell = LoadingCell { () async -> Int in 1 }
          world.task("loader") { _ = try? await cell.reload() }
          world.task("another one") { _ = try? await cell.reload() }
          world.task("finisher") { cell.finish() }
        }
      }

      @Test
      func `G11 loads, reloads, a cancel and the end`() throws {
        try explore("a load, a reload, a cancel and the end", within: ExplorationBudget(depthFirst: 8_000)) {
          world in
          let (calls, answers) = (Log<Int>(), Log<Int>())
          let cell = LoadingCell { () async -> Int in
            calls.append(calls.count + 1)
            return calls.count
          }
          world.task("loader") {
            let content = try? await cell.load()
            answers.append(content ?? 0)
          }
          world.task("reloader") {
            let before = calls.count
            let content = try? await cell.reload()
            world.expect(
              content.map { $0 > before } ?? true,
              "load \(content ?? 0) answered, after \(before)"
            )
            answers.append(content ?? 0)
          }
          world.task("canceller") { cell.cancel() }
          world.task("finisher") { cell.finish() }
          world.finally {
            world.expect(answers.count == 2, "\(answers.count) of 2 were answered")
            world.expect(!cell.value.isLoading, "it is \(cell.value)")
            world.expect(
              (answers.all.max() ?? 0) <= calls.count,
              "\(answers.all), but \(calls.count) were begun"
            )
            world.expect(
              answers.all.allSatisfy { $0 <= cell.value.content ?? 0 },
              "the answers were \(answers.all), and the cell holds \(cell.value)"
            )
          }
        }
      }

      @Test
      func `waiting requests are cancelled as their answer comes`() throws {
        try explore(
          "waiting requests are cancelled as their answer comes",
          within: ExplorationBudget(depthFirst: 8_000)
        ) {
          world in
          let (calls, answers) = (Log<Int>(), Log<Int>())
          let cell = LoadingCell { () async -> Int in
            calls.append(calls.count + 1)
            return calls.count
          }
          let waiting = [1, 2].map { number in
            world.task("waiting \(number)") {
              let content = try? await cell.load()
              world.expect(content != nil || Task.isCancelled, "\(number) had no answer")
              answers.append(number)
            }
          }
          world.task("another one") {
            let content = try? await cell.load()
            world.expect(content == 1, "it received load \(content ?? 0)")
          }
          world.task("canceller") { for task in waiting { task.cancel() } }
          world.finally {
            world.expect(answers.all.sorted() == [1, 2], "\(answers.all) continued")
            world.expect(cell.value.content == 1 && calls.count == 1, "\(cell.value) after \(calls.count)")
          }
        }
      }

      @Test
      func `queued calls are cancelled as a turn comes`() throws {
        try explore(
          "queued calls are cancelled as a turn comes",
          within: ExplorationBudget(depthFirst: 8_000)
        ) { world in
          let running = Log<Int>()
          let action = AsyncAction(whileBusy: .queue) { (number: Int) in
            running.append(number)
            world.expect(running.count % 2 == 1, "\(running.all) are executing")
            running.append(-number)
          }
          world.task("first") { _ = try? await action.execute(1) }
          let waiting = [2, 3].map { number in
            world.task("call \(number)") {
              do { try await action.execute(number) } catch {
                world.expect(error is CancellationError, "call \(number) threw \(error)")
              }
            }
          }
          world.task("canceller") { for task in waiting { task.cancel() } }
          world.task("last") {
            do { try await action.execute(4) } catch {
              world.expect(false, "the last one was not executed: \(error)")
            }
          }
          world.finally {
            world.expect(Set(running.all).count == running.count, "one was executed twice: \(running.all)")
            world.expect(!action.isExecuting.value, "a call never releases the turn")
            world.expect(action.waitingCount == 0, "\(action.waitingCount) wait")
          }
        }
      }

      @Test
      func `a call is displaced as its turn comes`() throws {
        try explore("a call is displaced as its turn comes", within: ExplorationBudget(depthFirst: 8_000)) {
          world in
          let (executed, displaced) = (Log<Int>(), Log<Int>())
          let action = AsyncAction(whileBusy: .latest) { (number: Int) in executed.append(number) }
          for number in 1...3 {
            world.task("call \(number)") {
              do { try await action.execute(number) } catch ActionRefusal.superseded {
                displaced.append(number)
              } catch {
                world.expect(false, "call \(number) threw \(error)")
              }
            }
          }
          world.finally {
            let all = (executed.all + displaced.all).sorted()
            world.expect(all == [1, 2, 3], "executed: \(executed.all), displaced: \(displaced.all)")
            world.expect(displaced.count <= 1, "\(displaced.all) were displaced by one newer call")
            world.expect(!action.isExecuting.value, "a call never releases the turn")
            world.expect(action.waitingCount == 0, "\(action.waitingCount) wait")
          }
        }
      }

      @Test
      func `a call's turn comes while the call gives it up`() throws {
        try explore("a call gives up its turn as it comes", within: ExplorationBudget(depthFirst: 8_000)) {
          world in
          let running = Log<Int>()
          let action = AsyncAction(whileBusy: .queue) { (number: Int) in
            running.append(number)
            world.expect(running.count % 2 == 1, "\(running.all) are executing")
            running.append(-number)
          }
          world.task("first") { _ = try? await action.execute(1) }
          let second = world.task("second") { _ = try? await action.execute(2) }
          world.task("canceller") { second.cancel() }
          world.task("third") {
            do { try await action.execute(3) } catch {
              world.expect(false, "the third one was not executed: \(error)")
            }
          }
          world.finally {
            world.expect(!action.isExecuting.value, "the turn is never released")
            world.expect(action.waitingCount == 0, "\(action.waitingCount) wait")
          }
        }
      }

      @Test
      func `G6 an event right after the beginning`() throws {
        try explore("an event right after a reader began") { world in
          let events = EventSource<Int>()
          events.send(0)
          let begun = Flag()
          let seen = Log<Int>()
          world.task("reader") {
            let later = events.values(backlog: .unbounded)
            begun.set()
            for await event in later { seen.append(event) }
          }
          world.task("sender") {
            let mustCome = begun.isSet
            events.send(1)
            events.finish()
            if mustCome { seen.append(100) }
          }
          world.finally {
            world.expect(!seen.all.contains(0), "it received earlier events: \(seen.all)")
            world.expect(!seen.all.contains(100) || seen.all.contains(1), "the event was missed: \(seen.all)")
          }
        }
      }
    }
  }

  /// A clock whose delays take no time.
  private struct ImmediateClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }
    func sleep(until instant: ContinuousClock.Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
    }
  }

  /// A sequence of one element, and then an error; the second such sequence ends without an error.
  private struct DroppingLine: AsyncSequence, AsyncIteratorProtocol, Sendable {
    struct Dropped: Error {}

    let number: Int
    var isRead = false

    mutating func next() async throws -> Int? {
      if isRead, number == 1 { throw Dropped() }
      defer { isRead = true }
      return isRead ? nil : number
    }

    func makeAsyncIterator() -> DroppingLine { self }
  }

  extension Log {
    fileprivate var count: Int { all.count }
  }
#endif
