import ActorBindings
import Testing

@Suite
struct BindableArrayTests {
  @Test
  func `G2 each change is an update`() {
    let board = BindableArray(["a", "b"])
    board.append("c")
    board.insert("d", at: 0)
    #expect(board.remove(at: 1) == "a")
    #expect(board.update("e", at: 0) == "d")
    board.move(from: 0, to: 2)
    board.append(contentsOf: ["f", "g"])
    #expect(Array(board.value) == ["b", "c", "e", "f", "g"])
    #expect(board.version == 6)
    #expect(board.count == 5)
    #expect(board[3] == "f")
    board.removeAll()
    #expect(board.version == 7)
    #expect(board.count == 0)
  }

  @Test
  func `appending many elements is one update`() {
    let board = BindableArray([0])
    board.append(contentsOf: 1..<5)
    board.append(contentsOf: 5..<10_000)
    #expect(board.value.elementsEqual(0..<10_000))
    #expect(board.version == 2)
    board.append(contentsOf: [])
    #expect(board.version == 3)
  }

  @Test
  func `a batch is one update and one change`() {
    let board = BindableArray([1, 2, 3])
    let context = ManualContext()
    let seen = Recorder<ArrayChange<Int>>()
    let token = board.changes.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    board.modify { board in
      board.append(4)
      board.remove(at: 0)
    }
    context.run()
    #expect(seen.elements.map(\.version) == [0, 1])
    #expect(seen.elements.map(\.isInitial) == [true, false])
    guard case .edits(let edits) = seen.elements[1].content else {
      Issue.record("a batch was delivered as a reset")
      return
    }
    #expect(edits == [.remove(offset: 0, element: 1), .insert(offset: 2, element: 4)])
    token.cancel()
  }

  @Test
  func `G5 a reader that lags receives one change for all that it missed, and the number of updates`() {
    let board = BindableArray(Array(0..<1000))
    let context = ManualContext()
    let seen = Recorder<ArrayChange<Int>>()
    let token = board.changes.observe(on: context.delivery) { seen.record($0) }
    context.run()
    for turn in 0..<10_000 { board.update(turn, at: turn % 10) }
    context.run()
    #expect(seen.elements.count == 2)
    #expect(seen.elements[1].skipped == 9_999)
    guard case .edits(let edits) = seen.elements[1].content else {
      Issue.record("ten elements of a thousand were delivered as a reset")
      return
    }
    #expect(edits.count == 10)
    token.cancel()
  }

  @Test
  func `a change with more steps than elements is a reset`() {
    let board = BindableArray(Array(0..<1000))
    let context = ManualContext()
    let seen = Recorder<ArrayChange<Int>>()
    let token = board.changes.observe(on: context.delivery) { seen.record($0) }
    context.run()
    board.removeAll()
    context.run()
    board.append(1)
    context.run()
    #expect(seen.elements.map(\.isReset) == [true, true, false])
    token.cancel()
  }

  @Test
  func `persistent collections apply a change, and keep what they share`() {
    let board = BindableArray([1, 2, 3])
    let prices = BindableDictionary(["a": 1])
    let context = ManualContext()
    let rows = Guarded<PersistentArray<Int>>([])
    let mirror = Guarded<PersistentDictionary<String, Int>>([:])
    let tokens = [
      board.changes.observe(on: context.delivery) { change in rows.withLock { $0.apply(change) } },
      prices.changes.observe(on: context.delivery) { change in mirror.withLock { $0.apply(change) } },
    ]
    context.run()
    #expect(rows.withLock { $0 }.edits(from: board.value).isEmpty)
    #expect(mirror.withLock { $0 }.edits(from: prices.value).isEmpty)
    board.append(4)
    board.move(from: 0, to: 2)
    prices.set(2, forKey: "b")
    context.run()
    #expect(rows.withLock { $0 } == board.value)
    #expect(board.value.edits(from: rows.withLock { $0 }).count == 1)
    #expect(mirror.withLock { $0 } == prices.value)
    tokens.forEach { $0.cancel() }
  }

  @Test
  func `elements are removed by a predicate, in one update`() throws {
    let board = BindableArray(Array(0..<1000))
    let before = board.value
    board.removeAll { $0 % 10 == 3 }
    #expect(Array(board.value) == (0..<1000).filter { $0 % 10 != 3 })
    #expect(board.version == 1)
    let edits = board.value.edits(from: before)
    #expect(edits.count == 100)
    #expect(edits.first == .remove(offset: 993, element: 993))
    #expect(board.value.visits(from: before) < 100)
    board.removeAll { $0 < 0 }
    #expect(board.version == 2)
    #expect(throws: CancellationError.self) { try board.removeAll { _ in throw CancellationError() } }
    #expect(board.version == 2)
  }

  @Test
  func `sending equal elements keeps them`() {
    let board = BindableArray(["a", "b", "c", "d"])
    let before = board.value
    board.send(["a", "c", "x", "d"])
    #expect(Array(board.value) == ["a", "c", "x", "d"])
    #expect(
      board.value.edits(from: before)
        == [.remove(offset: 1, element: "b"), .insert(offset: 2, element: "x")]
    )
  }

  @Test
  func `sending elements with IDs moves and updates them`() {
    let board = BindableArray([Row(id: 1, text: "a"), Row(id: 2, text: "b"), Row(id: 3, text: "c")])
    let before = board.value
    board.send([Row(id: 3, text: "c"), Row(id: 1, text: "a"), Row(id: 2, text: "new")], id: \.id)
    #expect(board.value.map(\.text) == ["c", "a", "new"])
    #expect(
      board.value.edits(from: before) == [
        .move(from: 2, to: 0, element: Row(id: 3, text: "c")),
        .update(offset: 2, element: Row(id: 2, text: "new"), old: Row(id: 2, text: "b")),
      ]
    )
  }

  @Test
  func `elements that are not Equatable are sent with IDs and a closure that compares them`() {
    let board = BindableArray((0..<4).map { Note(id: $0, revision: 0) { "old" } })
    let before = board.value
    board.send(
      [(3, 0), (0, 0), (1, 1), (2, 0)].map { id, revision in Note(id: id, revision: revision) { "new" } },
      id: \.id
    ) {
      $0.revision == $1.revision
    }
    #expect(board.value.map(\.id) == [3, 0, 1, 2])
    #expect(board.value.map { $0.text() } == ["old", "old", "new", "old"])
    let edits = board.value.edits(from: before).map { $0.map(\.id) }
    #expect(edits == [.move(from: 3, to: 0, element: 3), .update(offset: 2, element: 1, old: 1)])
    #expect(throws: CancellationError.self) {
      try board.send(before, id: \.id) { _, _ in throw CancellationError() }
    }
    #expect(board.version == 1)
  }

  @Test
  func `sendIfChanged does not send an equal collection`() {
    let board = BindableArray(["a", "b"])
    let before = board.value
    #expect(!board.sendIfChanged(["a", "b"]))
    #expect(!board.sendIfChanged(PersistentArray(["a", "b"])))
    #expect(board.version == 0)
    #expect(board.value.visits(from: before) == 0)
    #expect(board.sendIfChanged(["a", "c", "b"]))
    #expect(board.value.edits(from: before) == [.insert(offset: 1, element: "c")])
    board.finish()
    #expect(!board.sendIfChanged([]))
    #expect(board.version == 1)
  }

  @Test
  func `an element is changed at its index`() {
    let board = BindableArray([["a"], ["b"]])
    let before = board.value
    let count = board.modify(at: 1) { words in
      words.append("c")
      return words.count
    }
    #expect(count == 2)
    #expect(board.value.edits(from: before) == [.update(offset: 1, element: ["b", "c"], old: ["b"])])
    #expect(throws: CancellationError.self) {
      try board.modify(at: 0) { words in
        words = []
        throw CancellationError()
      }
    }
    #expect(board[0] == ["a"])
    #expect(board.version == 1)
  }

  @Test
  func `G1 no change of a single element is lost`() async {
    let board = BindableArray([0, 0, 0])
    await concurrently(4) { writer in
      for _ in 0..<500 { board.modify(at: writer % 3) { $0 += 1 } }
    }
    #expect(Array(board.value) == [1000, 500, 500])
    #expect(board.version == 2000)
  }

  @Test
  func `elements are inserted in one update`() {
    let board = BindableArray<Int>()
    #expect(board.isEmpty)
    board.append(contentsOf: [1, 4])
    board.insert(contentsOf: 2...3, at: 1)
    board.insert(contentsOf: [], at: 4)
    #expect(Array(board.value) == [1, 2, 3, 4])
    #expect(!board.isEmpty)
    #expect(board.version == 3)
  }

  @Test
  func `changes describe themselves`() {
    let board = BindableArray(["a"])
    let context = ManualContext()
    let seen = Recorder<ArrayChange<String>>()
    let token = board.changes.observe(on: context.delivery) { seen.record($0) }
    context.run()
    board.append("b")
    context.run()
    board.append("c")
    board.append("d")
    context.run()
    #expect(
      seen.elements.map { "\($0)" }
        == ["reset to 1 element at version 0", "1 edit to version 1", "2 edits to version 3, skipped 1"]
    )
    #expect(seen.elements.map { $0.edits?.count } == [nil, 1, 2])
    #expect(seen.elements.map(\.isReset) == [true, false, false])
    #expect(seen.elements[0] == seen.elements[0])
    #expect(seen.elements[1] != seen.elements[2])
    #expect("\(board.map(\.count))" == "a source of Int")
    token.cancel()
  }

  @Test
  func `a transaction changes a collection together with other cells`() {
    let (board, seats, total) = (BindableArray([1, 2]), BindableDictionary(["a": 1]), BindableActor(3))
    BindingTransaction.run { transaction in
      transaction[board].append(3)
      transaction[seats]["b"] = 3
      transaction[total] += 3
    }
    #expect(Array(board.value) == [1, 2, 3])
    #expect(Dictionary(seats.value) == ["a": 1, "b": 3])
    #expect(total.value == 6)
    #expect(board.version == 1)
  }

  @Test
  func `G11 after finish nothing changes`() {
    let board = BindableArray([1])
    board.finish()
    board.append(2)
    #expect(board.remove(at: 0) == 1)
    #expect(Array(board.value) == [1])
    #expect(board.version == 0)
  }

  @Test
  func `G10 replaced and removed elements are released after the lock`() {
    let board = BindableArray<Releaser>()
    for _ in 0..<4 { board.append(Releaser { _ = board.count }) }
    board.update(Releaser {}, at: 0)
    board.remove(at: 1)
    board.removeAll()
    #expect(board.count == 0)
  }

  @Test
  func `bad indices end the process before anything has changed`() async {
    await #expect(processExitsWith: .failure) { BindableArray([1]).remove(at: 1) }
    await #expect(processExitsWith: .failure) { BindableArray([1]).insert(2, at: 2) }
    await #expect(processExitsWith: .failure) { BindableArray([1]).update(2, at: -1) }
    await #expect(processExitsWith: .failure) { BindableArray([1]).move(from: 0, to: 1) }
    await #expect(processExitsWith: .failure) { _ = BindableArray([1])[1] }
    await #expect(processExitsWith: .failure) { BindableArray([1]).modify(at: 1) { $0 += 1 } }
    await #expect(processExitsWith: .failure) { BindableArray([1]).insert(contentsOf: [], at: 2) }
  }
}

private struct Row: Equatable, Sendable {
  let id: Int
  let text: String
}

// A value that is not Equatable.
private struct Note: Sendable {
  let id: Int
  let revision: Int
  let text: @Sendable () -> String
}

private final class Releaser: Sendable {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }

  deinit { body() }
}
