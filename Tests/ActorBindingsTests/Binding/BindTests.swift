import ActorBindings
import Testing

/// Every form of `bind` on the caller's isolation.
@Suite
@MainActor
struct BindTests {
  private struct User: Sendable, Equatable {
    var name = "Ada"
    var age = 36
    var home = Home()
  }

  private struct Home: Sendable, Equatable {
    var city = City()
  }

  private struct City: Sendable, Equatable {
    var name = "London"
  }

  @MainActor
  private final class Label {
    var text = ""
    var subtitle: String?
    var lines = Lines()
  }

  private struct Lines {
    var first = ""
  }

  // A class that is neither isolated nor Sendable.
  private final class Record {
    var user: User?
    var text = "" { didSet { history.append(text) } }
    var history: [String] = []
  }

  private let cell = BindableActor(User())
  private let label = Label()
  private let record = Record()

  @Test
  func `a property to a property, at once and from then on`() async {
    cell.bind(\.name, to: label, \.text)
    cell.bind(\.name, to: record, \.text)
    #expect(label.text == "Ada")
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(label.text == "Grace")
    #expect(record.history == ["Ada", "Grace"])
  }

  @Test
  func `a property to an optional property`() async {
    cell.bind(\.name, to: label, \.subtitle)
    #expect(label.subtitle == "Ada")
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(label.subtitle == "Grace")
  }

  @Test
  func `nested key paths on both sides`() async {
    cell.bind(\.home.city.name, to: label, \.lines.first)
    #expect(label.lines.first == "London")
    cell.modify { $0.home.city.name = "Paris" }
    await cell.settled()
    #expect(label.lines.first == "Paris")
  }

  @Test
  func `a property through a transform, which may capture what is not Sendable`() async {
    cell.bind(\.age, to: label, \.text, transform: String.init)
    var transformed: [Int] = []
    cell.bind(\.age, to: label, \.subtitle) { age in
      MainActor.assertIsolated()
      transformed.append(age)
      return age > 36 ? nil : "\(age)"
    }
    #expect(label.text == "36")
    #expect(label.subtitle == "36")
    cell.modify { $0.age += 1 }
    await cell.settled()
    #expect(label.text == "37")
    #expect(label.subtitle == nil)
    #expect(transformed == [36, 37])
  }

  @Test
  func `a source to a property, an optional property, and through a transform`() async {
    let name = cell.map(\.name)
    name.bind(to: label, \.text)
    name.bind(to: label, \.subtitle)
    name.bind({ $0.uppercased() }, to: record, \.text)
    cell.bind(to: record, \.user)
    #expect(label.text == "Ada")
    #expect(label.subtitle == "Ada")
    #expect(record.text == "ADA")
    #expect(record.user == User())
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(label.text == "Grace")
    #expect(label.subtitle == "Grace")
    #expect(record.text == "GRACE")
    #expect(record.user?.name == "Grace")
  }

  @Test
  func `optional values to an optional property`() async {
    let cell = BindableActor<User?>()
    cell.bind(to: record, \.user)
    #expect(record.user == nil)
    cell.send(User())
    await cell.settled()
    #expect(record.user == User())
    cell.send(nil)
    await cell.settled()
    #expect(record.user == nil)
  }

  @Test
  func `behind a filter, nothing is set until a value matches`() async {
    cell.filter { $0.age > 36 }.bind(\.name, to: record, \.text)
    #expect(record.history == [])
    cell.modify { $0.age = 40 }
    await cell.settled()
    #expect(record.history == ["Ada"])
  }

  @Test
  func `a binding observes with the given backlog`() async {
    cell.bind(\.name, to: record, \.text, backlog: .unbounded)
    for name in ["a", "b", "c"] { cell.modify { $0.name = name } }
    await cell.settled()
    #expect(record.history == ["Ada", "a", "b", "c"])
  }

  @Test
  func `the binding holds its object weakly, and ends with it`() async {
    weak var gone: Record?
    let token: BindingToken
    do {
      let record = Record()
      gone = record
      token = cell.bind(\.name, to: record, \.text)
    }
    #expect(gone == nil)
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(token.isCancelled)
    #expect(cell.observerCount == 0)
  }

  @Test
  func `a token or a bag ends the binding before its object dies`() async {
    let bag = DisposeBag()
    cell.bind(\.name, to: record, \.text).store(in: bag)
    let token = cell.bind(\.name, to: label, \.text)
    cell.modify { $0.name = "Grace" }
    bag.dispose()
    token.cancel()
    await cell.settled()
    #expect(record.text == "Ada")
    #expect(label.text == "Ada")
    #expect(cell.observerCount == 0)
  }

  @Test
  func `binding takes any and some source`() async {
    let any: any BindingSource<User> = cell
    any.bind(\.name, to: label, \.text)
    let some: some BindingSource<String> = cell.map(\.name).removeDuplicates()
    some.bind(to: label, \.subtitle)
    let state: any StateSource<Int> = cell.map(\.age)
    state.bind(String.init, to: record, \.text)
    #expect(label.text == "Ada")
    #expect(label.subtitle == "Ada")
    #expect(record.text == "36")
    cell.send(User(name: "Grace", age: 85))
    await cell.settled()
    #expect(label.text == "Grace")
    #expect(label.subtitle == "Grace")
    #expect(record.text == "85")
  }

  @Test
  func `in an actor, to an object of that actor`() async {
    actor Owner {
      let record = Record()
      func bind(_ cell: BindableActor<User>) -> String {
        cell.bind(\.name, to: record, \.text)
        return record.text
      }
      func history() -> [String] { record.history }
    }
    let owner = Owner()
    #expect(await owner.bind(cell) == "Ada")
    cell.modify { $0.name = "Grace" }
    await cell.settled()
    #expect(await owner.history() == ["Ada", "Grace"])
  }

  @Test
  func `a property observer may write to the cell`() async {
    final class Clamp {
      let cell: BindableActor<Int>
      var value = 0 { didSet { if value > 10 { cell.send(10) } } }
      init(_ cell: BindableActor<Int>) { self.cell = cell }
    }
    let cell = BindableActor(0)
    let clamp = Clamp(cell)
    cell.bind(to: clamp, \.value)
    cell.send(99)
    await cell.settled()
    #expect(cell.value == 10)
    #expect(clamp.value == 10)
  }
}
