import ActorBindings
import Dispatch
import Testing

/// Every form of `bind` with `on:`.
@Suite
struct BindOnTests {
  private struct User: Sendable {
    var name = "Ada"
    var age = 36
  }

  // A row whose setters check that they run on the queue of the station.
  private final class Row: Sendable {
    private let stored = Guarded((text: "", subtitle: String?.none))
    private let station: Station

    init(at station: Station) {
      self.station = station
    }

    var text: String {
      get { stored.withLock { $0.text } }
      set {
        dispatchPrecondition(condition: .onQueue(station.queue))
        stored.withLock { $0.text = newValue }
      }
    }

    var subtitle: String? {
      get { stored.withLock { $0.subtitle } }
      set {
        dispatchPrecondition(condition: .onQueue(station.queue))
        stored.withLock { $0.subtitle = newValue }
      }
    }
  }

  private let cell = BindableActor(User())
  private let station = Station()
  private var queue: DeliveryContext { .queue(station.queue) }

  @Test
  func `a property to a property and to an optional one`() async {
    let row = Row(at: station)
    cell.bind(\.name, to: row, \.text, on: queue)
    cell.bind(\.name, to: row, \.subtitle, on: queue)
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(row.text == "Grace")
    #expect(row.subtitle == "Grace")
  }

  @Test
  func `a source to a property, an optional one, and through a transform`() async {
    let (row, other) = (Row(at: station), Row(at: station))
    cell.map(\.name).bind(to: row, \.text, on: queue)
    cell.map(\.name).bind(to: row, \.subtitle, on: queue)
    cell.bind({ $0.name }, to: other, \.text, on: queue)
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(row.text == "Grace")
    #expect(row.subtitle == "Grace")
    #expect(other.text == "Grace")
  }

  @Test
  func `a property through a transform, which runs on the context`() async {
    let row = Row(at: station)
    cell.bind({ String($0.age) }, to: row, \.text, on: queue)
    let subtitle = { @Sendable [station] (user: User) -> String? in
      dispatchPrecondition(condition: .onQueue(station.queue))
      return user.age == 37 ? nil : "young"
    }
    cell.bind(subtitle, to: row, \.subtitle, on: queue)
    await cell.settled()
    #expect(row.subtitle == "young")
    cell.modify { $0.age += 1 }
    await cell.settled()
    #expect(row.text == "37")
    #expect(row.subtitle == nil)
  }

  @Test
  func `on a task executor, and on a serial one`() async {
    let row = Row(at: station)
    cell.bind(\.name, to: row, \.text, on: .taskExecutor(station))
    cell.bind(\.name, to: row, \.subtitle, on: .serialExecutor(station))
    await cell.settled()
    #expect(row.text == "Ada")
    #expect(row.subtitle == "Ada")
  }

  @Test
  func `the binding holds its object weakly, and ends with it`() async {
    let context = ManualContext()
    let token: BindingToken
    weak var gone: Box<User>?
    do {
      let box = Box<User>()
      gone = box
      token = cell.bind(to: box, \.value, on: context.delivery)
      context.run()
      #expect(box.value?.name == "Ada")
    }
    #expect(gone == nil)
    cell.modify { $0.age = 37 }
    context.run()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `binding takes any and some source`() {
    let context = ManualContext()
    let (first, second) = (Box<String>(), Box<String>())
    let any: any BindingSource<User> = cell
    any.bind(\.name, to: first, \.value, on: context.delivery)
    let some: some BindingSource<String> = cell.map(\.name)
    some.bind(to: second, \.value, on: context.delivery, backlog: .unbounded)
    context.run()
    #expect(first.value == "Ada")
    #expect(second.value == "Ada")
  }
}
