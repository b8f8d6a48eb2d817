import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `Collections`; the suite `ArticleTests` compares the two.

private struct Player: Equatable, Sendable {
  let id: Int
  var name: String
  var points = 0
}

@Suite
struct CollectionsExamples {
  @Test
  func `what a collection cell is`() {
    // article
    let jobs = BindableArray(["parse", "link"])
    let before = jobs.value
    jobs.append("test")

    // [.insert(offset: 2, element: "test")]
    let edits = jobs.value.edits(from: before)
    // end
    #expect(edits == [.insert(offset: 2, element: "test")])
    #expect(before == ["parse", "link"])
  }

  @Test
  func `writing an array`() {
    let board = BindableArray(["bread", "salt"])
    // article
    board.append("milk")
    board.insert("eggs", at: 0)
    board.update("rye bread", at: 1)  // replaces the element
    board.move(from: 0, to: 3)  // its new offset is 3
    board.remove(at: 1)
    board.removeAll { $0.hasSuffix("bread") }

    let next = board.modify { board in  // one update, one change
      board.append("tea")
      return board.removeFirst()
    }
    board.modify(at: 0) { $0 += " and butter" }
    // end
    #expect(next == "milk")
    #expect(Array(board.value) == ["eggs and butter", "tea"])
    #expect(board.version == 8)
  }

  @Test
  func `a transaction`() {
    let (waiting, running) = (BindableArray(["parse", "link"]), BindableArray(["test"]))
    let load = BindableActor(1)
    // article
    BindingTransaction.run { transaction in
      guard let job = transaction[waiting].popLast() else { return }
      transaction[running].append(job)
      transaction[load] += 1
    }
    // end
    #expect(Array(waiting.value) == ["parse"])
    #expect(Array(running.value) == ["test", "link"])
    #expect(load.value == 2)
  }

  @Test
  func `writing the whole`() {
    let board = BindableArray(["bread", "milk", "salt"])
    let (ann, bob, eve) = (Player(id: 1, name: "ann"), Player(id: 2, name: "bob"), Player(id: 3, name: "eve"))
    let better = Player(id: 2, name: "bob", points: 5)
    let players = BindableArray([ann, bob, eve])
    let (boardBefore, playersBefore) = (board.value, players.value)
    let download = [eve, ann, better]
    // article
    board.send(["milk", "tea", "salt"])  // removes bread, inserts tea
    players.send(download, id: \.id)  // moves one, updates another
    board.sendIfChanged(["milk", "tea", "salt"])  // writes nothing
    // end
    #expect(board.version == 1)
    #expect(
      board.value.edits(from: boardBefore)
        == [.remove(offset: 0, element: "bread"), .insert(offset: 1, element: "tea")]
    )
    #expect(
      players.value.edits(from: playersBefore)
        == [.move(from: 2, to: 0, element: eve), .update(offset: 2, element: better, old: bob)]
    )
  }

  @Test
  func `writing a dictionary`() {
    let download = ["ACME": 13.5, "NEW": 1]
    // article
    let prices = BindableDictionary(["ACME": 12.0, "INIT": 40])
    prices.set(12.5, forKey: "ACME")
    let last = prices.removeValue(forKey: "INIT")
    prices.modify(forKey: "ACME") { price in price? += 1 }
    prices.modify { prices in
      prices["INIT"] = last
      prices["NEW", default: 0] += 1
    }
    prices.send(download)  // keeps equal values, removes INIT
    // end
    #expect(Dictionary(prices.value) == download)
    #expect(prices.version == 5)
  }

  // article
  func mirror(_ board: BindableArray<String>) async -> [String] {
    var rows: [String] = []
    for await change in board.changes(backlog: .latest) {
      rows.apply(change)
    }
    return rows  // the last value of the board
  }
  // end

  @Test
  func `changes`() async {
    let board = BindableArray(["a"])
    async let rows = mirror(board)
    await eventually { board.observerCount == 1 }
    board.append("b")
    board.finish()
    #expect(await rows == ["a", "b"])
  }

  @Test
  func `changes, step by step`() async {
    let prices = BindableDictionary(["ACME": 12])
    let log = DispatchQueue(label: "log")
    let noted = Recorder<String>()
    @Sendable func note(_ text: String) { noted.record(text) }
    // article
    let token = prices.changes.observe(on: .queue(log)) { change in
      switch change.content {
      case .reset(let all):
        note("\(all.count) prices")
      case .edits(let edits):
        for edit in edits {
          note("\(edit.key) \(edit.newValue.map { "\($0)" } ?? "is gone")")
        }
      }
    }
    // end
    await prices.settled()
    prices.set(13, forKey: "ACME")
    await prices.settled()
    prices.removeValue(forKey: "ACME")
    await prices.settled()
    #expect(noted.elements == ["1 prices", "ACME 13", "ACME is gone"])
    await token.cancelAndWait()
  }

  @Test
  func `differences of the standard library`() {
    let board = BindableArray(["bread", "milk", "salt"])
    let before = board.value
    let wanted = ["salt", "bread", "tea"]
    // article
    board.modify { board in
      board.apply(wanted.difference(from: board).inferringMoves())
    }
    let difference = CollectionDifference(board.value.edits(from: before))
    let rows = Array(before).applying(difference)
    // end
    #expect(rows == wanted)
    #expect(Array(board.value) == wanted)
    #expect(difference.removals.count == 2)
  }

  @Test
  func `one key`() async {
    let prices = BindableDictionary(["ACME": 12])
    let log = DispatchQueue(label: "log")
    let seen = Recorder<Int?>()
    @Sendable func show(_ price: Int?) { seen.record(price) }
    // article
    let price = prices.source(forKey: "ACME")  // a state of Int?
    let token = price.observe(on: .queue(log)) { show($0) }
    // end
    await seen.reached(1)
    prices.set(40, forKey: "INIT")
    prices.set(13, forKey: "ACME")
    await seen.reached(2)
    #expect(seen.elements == [12, 13])
    #expect(price.value == 13)
    #expect(prices.observerCount == 1)
    await token.cancelAndWait()
  }

  @Test
  func `two keys together`() {
    let prices = BindableDictionary(["ACME": 12, "INIT": 40])
    // article
    let spread = prices.map { ($0["ACME"] ?? 0) - ($0["INIT"] ?? 0) }
      .removeDuplicates()
    // end
    #expect(spread.value == -28)
  }

  @Test
  func `operators`() async {
    let players = BindableArray([
      Player(id: 1, name: "ann", points: 2), Player(id: 2, name: "bob"),
      Player(id: 3, name: "eve", points: 5),
    ])
    let search = BindableActor("")
    // article
    let ranking =
      players
      .filterElements { $0.points > 0 }
      .sorted { $0.points > $1.points }
      .mapElements(\.name)

    let found = players.filterElements(
      by: search.map { text in
        { @Sendable player in player.name.hasPrefix(text) }
      }
    )

    let shared = BindableActor(of: ranking)  // computed once for all readers
    // end
    #expect(Array(ranking.value) == ["eve", "ann"])
    players.update(Player(id: 2, name: "bob", points: 3), at: 1)
    #expect(Array(ranking.value) == ["eve", "bob", "ann"])
    await players.settled()
    #expect(shared.value == ranking.value)
    search.send("b")
    #expect(found.value.map(\.id) == [2])
  }

  // article
  @MainActor
  final class Table: @MainActor CollectionTarget {
    private(set) var rows: [String] = []

    func reset(_ all: PersistentArray<String>) { rows = Array(all) }
    func insert(_ row: String, at offset: Int) {
      rows.insert(row, at: offset)
    }
    func remove(at offset: Int) { rows.remove(at: offset) }
    func update(_ row: String, at offset: Int) { rows[offset] = row }
    func move(from source: Int, to destination: Int) {
      rows.insert(rows.remove(at: source), at: destination)
    }
  }

  @MainActor
  func show(_ board: BindableArray<String>, in table: Table) {
    board.mapElements { $0.uppercased() } ->> table  // until the table goes
  }
  // end

  @Test @MainActor
  func `a target`() async {
    let (board, table) = (BindableArray(["milk", "bread"]), Table())
    show(board, in: table)
    #expect(table.rows == ["MILK", "BREAD"])
    board.modify { board in
      board.move(from: 0, to: 1)
      board.update("rye bread", at: 0)
      board.append("tea")
      board.remove(at: 1)
    }
    await board.settled()
    #expect(table.rows == ["RYE BREAD", "TEA"])
  }

  @Test @MainActor
  func `a bond`() async {
    let board = BindableArray(["milk", "bread"])
    var log: [String] = []
    func note(_ text: String) { log.append(text) }
    // article
    let bond = ArrayBond<String>()
    bond.inserted = { indices in note("+ \(indices)") }
    bond.removed = { indices, elements in note("- \(indices) \(elements)") }
    bond.updated = { indices in note("= \(indices)") }
    board ->> bond  // until the bond goes: keep it
    // end
    board.modify { board in
      board.remove(at: 0)
      board.append(contentsOf: ["tea", "salt"])
    }
    await board.settled()
    #expect(log == ["+ [0, 1]", #"- [0] ["milk"]"#, "+ [1, 2]"])
    #expect(bond.elements == board.value)
  }
}
