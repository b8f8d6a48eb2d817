import ActorBindings
import Testing

@Suite
struct ChangesSinceTests {
  @Test
  func `a reader that comes back receives only what it has missed, and then what follows`() async throws {
    let board = BindableArray(0..<100, history: 10)
    for number in 0..<5 { board.append(number) }
    var rows = Array(board.value)
    let version = board.version
    board.remove(at: 0)
    board.append(7)
    var changes = board.changes(since: version, backlog: .unbounded).makeAsyncIterator()
    board.append(8)
    let missed = try #require(await changes.next())
    #expect(missed.edits?.count == 2)
    #expect(missed.version == version + 2)
    #expect(missed.isInitial)
    rows.apply(missed)
    let next = try #require(await changes.next())
    #expect(next.edits?.count == 1)
    rows.apply(next)
    #expect(rows == Array(board.value))
  }

  @Test
  func `a reader that has missed nothing receives no edits, before and after the end`() async throws {
    let board = BindableArray(0..<100, history: 10)
    for isFinished in [false, true] {
      if isFinished { board.finish() }
      var changes = board.changes(since: board.version, backlog: .latest).makeAsyncIterator()
      let first = try #require(await changes.next())
      #expect(first.edits?.isEmpty == true)
      if isFinished { #expect(await changes.next() == nil) }
    }
  }

  @Test(arguments: [1, 2, 3, 5, 64])
  func `the history has the versions that it promises`(history: Int) async throws {
    let board = BindableArray(0..<100, history: history)
    let prices = BindableDictionary(["a": 0], history: history)
    for number in 1...200 {
      board.update(number, at: number % 100)
      prices.set(number, forKey: "a")
    }
    for version in (200 - UInt64(history))...200 {
      #expect(board.value(atVersion: version) != nil)
      #expect(prices.value(atVersion: version)?["a"] == Int(version))
    }
    #expect(board.value(atVersion: 200 - UInt64(history) - 1) == nil)
    #expect(board.value(atVersion: 201) == nil)
    #expect(board.value(atVersion: .max) == nil)
    #expect(prices.value(atVersion: 0) == nil)
  }

  @Test(arguments: [nil, 0, 6, 99, UInt64.max])
  func `a version that the history does not hold leads to the whole collection`(version: UInt64?) async throws
  {
    let board = BindableArray(["a"], history: 3)
    for _ in 0..<10 { board.append("b") }
    var changes = board.changes(since: version, backlog: .latest).makeAsyncIterator()
    let first = try #require(await changes.next())
    #expect(first.isReset)
    #expect(first.version == 10)
  }

  @Test
  func `without a history only the current version is known, and nothing is kept`() async throws {
    let board = BindableArray(0..<100)
    board.append(1)
    #expect(board.value(atVersion: 0) == nil)
    #expect(board.value(atVersion: 1) != nil)
    #expect(board.cursor.root.cell.locked { state, _ in !state.keepsHistory && state.window.capacity == 0 })
  }

  @Test
  func `a history counts as no reader, and keeps no more than twice what it promises`() {
    let board = BindableArray(0..<100, history: 10)
    for number in 0..<1_000 { board.append(number) }
    #expect(board.observerCount == 0)
    let count = board.cursor.root.cell.locked { state, roster in
      state.checkInvariants(roster)
      return state.window.count
    }
    #expect((11...22).contains(count))
  }

  @Test
  func `a former version is released when the history has passed it, and with its cell`() async {
    let gone = Recorder<Int>()
    do {
      let board = BindableArray([Mortal { gone.record(0) }], history: 2)
      for number in 1...5 { board.update(Mortal { gone.record(number) }, at: 0) }
      #expect(gone.elements == [0, 1, 2])
    }
    await gone.reached(6)
    #expect(gone.elements.sorted() == [0, 1, 2, 3, 4, 5])
  }

  @Test
  func `each reader of the source begins with what was missed since the version`() async throws {
    let board = BindableArray(0..<100, history: 10)
    let source = board.changes(since: 0)
    board.append(1)
    let seen = Recorder<Int?>()
    let context = ManualContext()
    let tokens = (0..<2).map { _ in
      source.observe(on: context.delivery) { seen.record($0.edits?.count) }
    }
    context.run()
    #expect(seen.elements == [1, 1])
    board.append(2)
    context.run()
    #expect(seen.elements == [1, 1, 1, 1])
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `readers that come back while tasks write end with the collection`() async {
    let board = BindableArray(0..<50, history: 64)
    await concurrently(4) { task in
      for round in 0..<stressed(100) {
        if task < 2 {
          board.modify { board in
            board.append(round)
            board.remove(at: round % board.count)
          }
          await Task.yield()
          continue
        }
        let (version, before) = board.cursor.root.cell.locked { ($1.version, $0.value) }
        await Task.yield()
        var changes = board.changes(since: version, backlog: .latest).makeAsyncIterator()
        guard let change = await changes.next() else {
          Issue.record("no change")
          return
        }
        var rows = Array(before)
        rows.apply(change)
        #expect(rows == Array(change.value))
        #expect(change.version >= version)
      }
    }
  }
}

extension BindableCell {
  fileprivate nonisolated func value(atVersion version: UInt64) -> Value? {
    cursor.root.cell.value(atVersion: version)
  }
}
