import ActorBindings
import Dispatch
import Observation
import Testing

/// Runs what the tables of the articles *Coming from* say about bindings, lives, collections and views.
/// `ComingFromRowsTests` looks for the code of each row in this file.
@MainActor
@Suite
struct ComingFromIdiomsOfBindings {
  final class Label: BindingTarget {
    var text = 0

    func receive(_ number: Int) { text = number }
  }

  final class Card: LoadingTarget {
    var content = 0

    func showLoading(_ attempt: LoadingAttempt, last: Int?) {}
    func showContent(_ number: Int) { content = number }
    func showFailure(_ error: any Error, last: Int?) {}
  }

  actor Listener {
    private(set) var heard = 0

    func hear(_ number: Int) { heard = number }
  }

  private let source = BindableActor(1)

  @Test
  func `bindings`() async {
    let (target, label, cell, seen) = (Label(), Label(), BindableActor(0), Recorder<Int>())
    let sink = BindingSink<Int> { seen.record($0) }
    source ->> target
    source.bind(to: sink)
    source.bind(to: label, \.text)
    source.bind(to: cell)
    #expect(target.text == 1 && label.text == 1 && seen.elements == [1])
    let (a, b, c) = (BindableActor(1), BindableActor(2), BindableActor(3))
    a <->> b
    b.bindTwoWay(to: c)
    await source.settled()
    #expect(cell.value == 1 && b.value == 1)
    _ = await c.first { $0 == 1 }
  }

  @Test
  func `lives`() async {
    let (owner, bag, actor, events) = (Label(), DisposeBag(), Listener(), Recorder<String>())
    source.observe(owner) { owner, number in owner.text = number }
    let listening: BindingToken = source.observe(with: actor) { $0.hear($1) }
    source.observe(on: DeliveryContext.main, backlog: .unbounded) { _ in
    } onEnd: {
      events.record("end")
    }
    .store(in: bag)
    let kept = bag.keep(BindableActor(of: source))
    bag.onDispose { events.record("disposed") }
    let loop = bag.addTask { [source] in for await _ in source.values {} }
    _ = BindingToken(onCancel: { events.record("cancelled") })
    await source.settled()
    #expect(owner.text == 1 && kept.value == 1)
    #expect(await actor.heard == 1)
    listening.cancel()
    bag.dispose()
    await loop.cancelAndWait()
    #expect(events.elements == ["cancelled", "disposed"])
  }

  @Test
  func `contexts and events of readers`() async {
    let (seen, true_, false_) = (Recorder<String>(), true, false)
    let traced =
      source
      .handleEvents(onSubscribe: { seen.record("begin") }, onValue: { seen.record("\($0)") })
      .handleEvents(onEnd: { seen.record("end") }, onCancel: { seen.record("cancel") })
      .debug("source", to: { seen.record($0) })
    let backlog = Backlog.bounded(2)
    let contexts: [DeliveryContext] = [.immediate, DeliveryContext.queue(DispatchQueue(label: "context"))]
    let tokens = contexts.map {
      traced.observe(on: $0, backlog: backlog) { _ in
      } onEnd: {
        seen.record("last")
      }
    }
    source.finish()
    await source.settled()
    await eventually { seen.elements.count { $0 == "last" } == 2 }
    #expect(Set(seen.elements).contains("source: ended"))
    #expect(true_ != false_)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `following a sequence`() async {
    let (stream, elements) = AsyncStream.makeStream(of: Int.self)
    let (cell, ends) = (BindableActor(0), Recorder<FollowOutcome>())
    cell.follow(stream) { ends.record($0) }
    elements.yield(2)
    _ = await cell.first(where: { $0 == 2 })
    elements.finish()
    await ends.reached(1)
    let feed = cell.follow(retry: .never) { AsyncStream<Int> { $0.finish() } }
    await feed.cancelAndWait()
    let shared = ActorBindings.feed(keepingOpen: .seconds(1)) { AsyncStream<Int> { $0.yield(3) } }
    #expect(await shared.first() == 3)
  }

  @Test
  func `views`() async throws {
    let (cell, loading, card) = (BindableActor(1), LoadingCell { 5 }, Card())
    let property = ObservableCell(cell)
    property.modify { $0 += 1 }
    #expect(property.value == 2)
    loading.consumeLoading(by: card)
    try await loading.load()
    await eventually { card.content == 5 }
    let model = ObservableProfile()
    do {
      let cell = BindableActor("")
      cell.follow(Observations { model.name })
      model.name = "Ada"
      _ = await cell.first { $0 == "Ada" }
    }
  }

  @Test
  func `collections`() async {
    struct Item: Sendable, Identifiable, Equatable {
      let id: Int
    }
    let (array, dictionary) = (BindableArray([Item(id: 2), Item(id: 1)]), BindableDictionary(["a": 1]))
    array.send([Item(id: 3), Item(id: 1)], id: \.id)
    let ids = array.mapElements { $0.id }.filterElements { $0 > 0 }.sorted()
    let numbers: PersistentArray<Int> = ids.value
    #expect(Array(numbers) == [1, 3])
    let bond = ArrayBond<Item>()
    let views: any CollectionTarget<Item> = bond
    array ->> bond
    #expect(bond.elements.count == 2 && views === bond)
    #expect(await array.changes.first()?.value.count == 2)
    #expect(dictionary.source(forKey: "a").value == 1)
  }

  @Test
  func `arranging collections`() {
    let (array, dictionary) = (BindableArray([3, 1, 2]), BindableDictionary(["a": 1, "b": 2]))
    let order = BindableActor<@Sendable (Int, Int) -> Bool>(<)
    let predicate = BindableActor<@Sendable (Int) -> Bool> { $0 > 1 }
    #expect(Array(array.sorted(by: order).value) == [1, 2, 3])
    #expect(Array(array.filterElements(by: predicate).value) == [3, 2])
    #expect(Array(array.reversed().page(offset: 1, count: 1).value) == [1])
    #expect(dictionary.grouped(by: { $0 % 2 == 0 }).value.count == 2)
    let sums = dictionary.joined(with: dictionary) { ($0 ?? 0) + ($1 ?? 0) }
    #expect(Dictionary(sums.value) == ["a": 2, "b": 4])
  }
}
