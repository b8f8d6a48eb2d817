import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `OperatorsOfCollections`; the suite `ArticleTests` compares the
// two.

private struct Player: Equatable, Sendable {
  let name: String
  let team: String
  var points = 0
}

private struct Session: Equatable, Sendable {
  let id: String
  var renewals = 0
}

@Suite
struct OperatorsOfCollectionsExamples {
  private let players = BindableDictionary([
    1: Player(name: "ann", team: "red", points: 2), 2: Player(name: "bob", team: "blue"),
    3: Player(name: "eve", team: "red", points: 5),
  ])

  @Test
  func `pages`() async {
    let log = BindableArray(["one", "two", "three", "four"])
    let number = BindableActor(0)
    // article
    let topTen = players.sorted { $0.value.points > $1.value.points }
      .page(count: 10)
    let newestFirst = log.reversed()
    let page = number.flatMapLatest { number in
      newestFirst.page(offset: number * 3, count: 3)
    }
    // end
    #expect(topTen.value.map(\.key) == [3, 1, 2])
    #expect(await page.first { _ in true } == ["four", "three", "two"])
    number.send(1)
    #expect(await page.first { _ in true } == ["one"])
  }

  @Test
  func `orders and predicates that change`() {
    let (isByName, limit) = (BindableActor(false), BindableActor(1))
    // article
    let rows = players.sorted(
      by: isByName.map { isByName in
        { @Sendable one, other in
          isByName
            ? one.value.name < other.value.name
            : one.value.points > other.value.points
        }
      }
    )
    let scorers = players.filterElements(
      by: limit.map { limit in
        { @Sendable player in player.points >= limit }
      }
    )
    // end
    #expect(rows.value.map(\.key) == [3, 1, 2])
    isByName.send(true)
    #expect(rows.value.map(\.key) == [1, 2, 3])
    #expect(scorers.value.keys.sorted() == [1, 3])
    limit.send(3)
    #expect(scorers.value.keys.sorted() == [3])
  }

  @Test
  func `groups`() {
    // article
    let teams = players.grouped(by: \.team)  // a dictionary of dictionaries
    let sizes = teams.mapElements(\.count)  // its keys are the distinct teams
    let red = teams.map { $0["red"] ?? [:] }  // one group
    // end
    #expect(Dictionary(sizes.value) == ["red": 2, "blue": 1])
    players.removeValue(forKey: 2)
    #expect(Dictionary(sizes.value) == ["red": 2])
    #expect(red.value.keys.sorted() == [1, 3])
  }

  @Test
  func `joins`() {
    let shares = BindableDictionary(["ACME": 3, "INIT": 1])
    let prices = BindableDictionary(["ACME": 12, "NEW": 1])
    // article
    let worth = shares.joined(with: prices) { count, price in
      if let count, let price { count * price } else { nil }
    }
    let union = shares.joined(with: prices) { $0 ?? $1 }
    let intersection = shares.joined(with: prices) { $1 == nil ? nil : $0 }
    let unpriced = shares.joined(with: prices) { $1 == nil ? $0 : nil }
    // end
    #expect(Dictionary(worth.value) == ["ACME": 36])
    #expect(Dictionary(union.value) == ["ACME": 3, "INIT": 1, "NEW": 1])
    #expect(Dictionary(intersection.value) == ["ACME": 3])
    #expect(Dictionary(unpriced.value) == ["INIT": 1])
  }

  @Test
  func `a resource for each element`() async {
    let hosts = BindableDictionary(["a": 1, "b": 2])
    let queue = DispatchQueue(label: "connections")
    let events = Recorder<String>()
    let note: @Sendable (String) -> Void = { events.record($0) }
    // article
    let connections = hosts.mapElements { port in
      note("open \(port)")
      return BindingToken { note("close \(port)") }
    }
    let token = connections.observe(on: .queue(queue)) { _ in }
    // end
    await hosts.settled()
    #expect(events.elements.sorted() == ["open 1", "open 2"])
    hosts.set(3, forKey: "a")
    await hosts.settled()
    await eventually { events.count == 4 }
    #expect(events.elements.suffix(2).sorted() == ["close 1", "open 3"])
    await token.cancelAndWait()
    await eventually { events.count == 6 }
    #expect(events.elements.suffix(2).sorted() == ["close 2", "close 3"])
  }

  @Test
  func `entries that expire`() async {
    let sessions = BindableDictionary(["a": Session(id: "a")])
    let (queue, clock) = (DispatchQueue(label: "expiry"), ManualClock())
    // article
    let timers = sessions.mapElements { [weak sessions] session in
      let task = Task {
        try await clock.sleep(for: .seconds(60))
        sessions?.modify(forKey: session.id) { if $0 == session { $0 = nil } }
      }
      return BindingToken { task.cancel() }
    }
    let token = timers.observe(on: .queue(queue)) { _ in }
    // end
    await eventually { clock.sleepers == 1 }
    clock.advance(by: .seconds(40))
    sessions.modify(forKey: "a") { $0?.renewals += 1 }
    sessions.set(Session(id: "b"), forKey: "b")
    await sessions.settled()
    await eventually { clock.sleepers == 2 }
    clock.advance(by: .seconds(40))
    #expect(sessions.value.keys.sorted() == ["a", "b"])
    clock.advance(by: .seconds(20))
    await eventually { sessions.isEmpty }
    token.cancel()
  }

  @Test
  func `changes that are held back`() {
    let (board, context) = (BindableArray(["bread"]), ManualContext())
    // article
    let isHeld = BindableActor(false)
    let changes = combineLatest(board, isHeld)
      .filter { !$1 }
      .map { board, _ in board }
      .changes
    // end
    let seen = Recorder<ArrayChange<String>>()
    let token = changes.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    context.run()
    isHeld.send(true)
    board.append("milk")
    board.append("tea")
    board.remove(at: 1)
    context.run()
    #expect(seen.count == 1)
    isHeld.send(false)
    context.run()
    #expect(seen.count == 2)
    #expect(seen.last?.edits == [.insert(offset: 1, element: "tea")])
    token.cancel()
  }

  private let recent = BindableArray((1...100).map { "line \($0)" })

  // article
  func record(_ line: String) {
    recent.modify { lines in
      lines.append(line)
      if lines.count > 100 { lines.removeFirst() }
    }
  }
  // end

  @Test
  func `the newest elements only`() {
    let (context, seen) = (ManualContext(), Recorder<ArrayChange<String>>())
    let token = recent.changes.observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
    let newest = recent.reversed().page(count: 3).reversed()
    context.run()
    record("line 101")
    context.run()
    #expect(seen.count == 2)
    #expect(
      seen.last?.edits == [.remove(offset: 0, element: "line 1"), .insert(offset: 99, element: "line 101")]
    )
    #expect(newest.value == ["line 99", "line 100", "line 101"])
    token.cancel()
  }

  @Test
  func `one array of the parts of all elements`() async {
    struct Order: Sendable {
      var items: [String]
    }
    let orders = BindableArray([Order(items: ["bread", "milk"]), Order(items: ["tea"])])
    // article
    let items = BindableArray<String>()
    orders.observe(with: items) { items, orders in
      items.send(orders.flatMap(\.items))
    }
    // end
    await orders.settled()
    #expect(items.value == ["bread", "milk", "tea"])
    let (context, seen) = (ManualContext(), Recorder<ArrayChange<String>>())
    let token = items.changes.observe(on: context.delivery) { seen.record($0) }
    context.run()
    orders.modify { $0[0].items.append("rye") }
    await orders.settled()
    context.run()
    #expect(seen.last?.edits == [.insert(offset: 2, element: "rye")])
    token.cancel()
  }

  @Test
  func `elements that are cells`() async {
    struct Device: Equatable, Sendable {
      var name: String
      var isOnline = false
    }
    let cells = ["lamp", "door", "oven"].map { BindableActor(Device(name: $0, isOnline: $0 != "door")) }
    let devices = BindableArray(Array(cells.prefix(2)))
    // article
    // The elements of `devices` are cells.
    let states = devices.flatMapLatest { combineLatest($0) }
    let online = states.filterElements(\.isOnline)
    let names = devices.flatMapLatest { devices in
      merge(devices.map { $0.map(\.name) })
    }
    // end
    var changes = online.changes(backlog: .unbounded).makeAsyncIterator()
    #expect(await changes.next()?.value.map(\.name) == ["lamp"])
    cells[1].modify { $0.isOnline = true }
    #expect(await changes.next()?.edits == [.insert(offset: 1, element: cells[1].value)])
    devices.append(cells[2])
    #expect(await changes.next()?.value.map(\.name) == ["lamp", "door", "oven"])
    cells[0].modify { $0.isOnline = false }
    #expect(
      await changes.next()?.edits == [.remove(offset: 0, element: Device(name: "lamp", isOnline: true))]
    )
    // A reader begins with one of the current names: which one depends on how many the operator has delivered by then.
    var seen = names.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await seen.next() != nil)
    for (number, name) in ["light", "gate", "stove"].enumerated() {
      cells[number].modify { $0.name = name }
      while let next = await seen.next(), next != name {}
    }
    devices.finish()
    for cell in cells { cell.finish() }
    #expect(await seen.next() == nil)
  }
}
