import ActorBindings
import Testing

private struct User: Sendable, Equatable {
  var name = "Ada"
  var visits = 0

  /// The name in capital letters: another name may be read than was written.
  var title: String {
    get { name }
    set { name = newValue.uppercased() }
  }
}

private struct Point: Sendable {
  var x = 0.0
}

@Suite
struct PartBindingTests {
  private let user = BindableActor(User())
  private let field = BindableActor("")

  @Test
  func `the binding begins with the part, and copies what is written to either side`() async {
    let token = user.bindTwoWay(\.name, to: field)
    #expect(field.value == "Ada")
    user.modify { $0.name = "Grace" }
    await user.settled()
    #expect(field.value == "Grace")
    field.send("Alan")
    await user.settled()
    #expect(user.value == User(name: "Alan"))
    #expect(user.version == 2)
    #expect(field.version == 3)
    token.cancel()
    field.send("Kurt")
    await user.settled()
    #expect(user.value.name == "Alan")
    #expect(field.observerCount == 0)
  }

  @Test
  func `a write to another part is no write of the part, even if it comes later`() async {
    user.bindTwoWay(\.name, to: field)
    // The binding runs on the isolation of `user`, which is busy while the values are sent.
    await user.run { [user, field] in
      field.send("Grace")
      user.modify { $0.visits = 1 }
    }
    await user.settled()
    #expect(user.value == User(name: "Grace", visits: 1))
    #expect(field.value == "Grace")
    #expect(field.version == 2)
  }

  @Test(arguments: [false, true])
  func `if both sides are written at once, the later write stays`(isFieldLater: Bool) async {
    user.bindTwoWay(\.name, to: field)
    await user.run { [user, field] in
      if !isFieldLater { field.send("Grace") }
      user.modify { $0.name = "Alan" }
      if isFieldLater { field.send("Grace") }
    }
    await user.settled()
    #expect(user.value.name == (isFieldLater ? "Grace" : "Alan"))
    #expect(field.value == user.value.name)
  }

  @Test
  func `equal values are not written again`() async {
    field.send("Ada")
    user.bindTwoWay(\.name, to: field)
    #expect(field.version == 1)
    field.send("Ada")
    user.modify { $0.visits = 1 }
    await user.settled()
    #expect((user.version, field.version) == (1, 2))
  }

  @Test
  func `sides that are written the same value at once are not written again`() async {
    user.bindTwoWay(\.name, to: field)
    await user.run { [user, field] in
      field.send("Grace")
      user.modify { $0.name = "Grace" }
    }
    await user.settled()
    #expect((user.version, field.version) == (1, 2))
  }

  @Test
  func `a part that gets back an earlier value is copied`() async {
    user.bindTwoWay(\.name, to: field)
    for isWrittenByField in [false, true] {
      if isWrittenByField { field.send("Grace") } else { user.modify { $0.name = "Grace" } }
      await user.settled()
      #expect(user.value.name == "Grace" && field.value == "Grace")
      user.modify { $0.name = "Ada" }
      await user.settled()
      #expect(field.value == "Ada")
    }
  }

  @Test
  func `if one transaction writes both sides, the part stays`() async {
    user.bindTwoWay(\.name, to: field)
    BindingTransaction.run { [user, field] transaction in
      transaction[user] = User(name: "Grace")
      transaction[field] = "Alan"
    }
    await user.settled()
    #expect(user.value.name == "Grace")
    #expect(field.value == "Grace")
  }

  @Test
  func `a part that changes what is written to it is not copied back`() async {
    user.bindTwoWay(\.title, to: field)
    field.send("Grace")
    await user.settled()
    #expect(user.value.name == "GRACE")
    user.modify { $0.visits = 1 }
    await user.settled()
    #expect(field.value == "Grace")
    // A later write to another part is no write of this part.
    await user.run { [user, field] in
      field.send("Alan")
      user.modify { $0.visits = 2 }
    }
    await user.settled()
    #expect(user.value == User(name: "ALAN", visits: 2))
    #expect(field.value == "Alan")
    user.modify { $0.name = "Kurt" }
    await user.settled()
    #expect(field.value == "Kurt")
  }

  @Test
  func `a part that is not equal to itself is not copied back`() async {
    let (point, number) = (BindableActor(Point()), BindableActor(0.0))
    point.bindTwoWay(\.x, to: number)
    number.send(.nan)
    for _ in 1...3 { await point.settled() }
    #expect(point.value.x.isNaN)
    #expect((point.version, number.version) == (1, 1))
    number.send(2)
    await point.settled()
    #expect(point.value.x == 2)
  }

  @Test
  func `a cell that has finished ends the binding at the next write to the other cell`() async {
    user.bindTwoWay(\.name, to: field)
    user.finish()
    field.send("Grace")
    await eventually { field.observerCount == 0 }
    #expect(user.value.name == "Ada")
    #expect(field.value == "Grace")
  }

  @Test
  func `no round of racing writers loses a write to another part`() async {
    let rounds = stressed(300)
    user.bindTwoWay(\.name, to: field)
    await concurrently(3) { [user, field] index in
      await repeatedly(rounds) { round in
        switch index {
        case 0: field.send("field \(round)")
        case 1: user.lens(\.visits).modify { $0 += 1 }
        default: user.lens(\.name).send("user \(round)")
        }
      }
    }
    await user.settled()
    #expect(user.value.visits == rounds)
    #expect(user.value.name == field.value)
    #expect(["field \(rounds - 1)", "user \(rounds - 1)"].contains(field.value))
  }

  @Test
  func `the binding ends with either cell`() async {
    var other: BindableActor<String>? = BindableActor("")
    weak let weakly = other
    let token = other.map { user.bindTwoWay(\.name, to: $0) }
    other = nil
    #expect(weakly == nil)
    user.modify { $0.name = "Grace" }
    await eventually { user.observerCount == 0 }
    field.finish()
    user.bindTwoWay(\.name, to: field)
    user.modify { $0.name = "Alan" }
    await eventually { user.observerCount == 0 }
    #expect(field.value == "")
    withExtendedLifetime(token) {}
  }

  @Test
  func `a value of the part that comes with the end, while the binding compares another, is copied`() async {
    let page = BindableActor(Page(word: Word(text: "1")))
    let word = BindableActor(Word(text: ""))
    let hasEnded = Flag()
    page.bindTwoWay(\.word, to: word)
    page.send(
      Page(
        word: Word(text: "2") { [page] in
          if hasEnded.isSet { return }
          hasEnded.set()
          page.send(Page(word: Word(text: "3")))
          page.finish()
        }
      )
    )
    await eventually { hasEnded.isSet && page.observerCount == 0 }
    #expect(word.value.text == "3")
  }
}

private struct Page: Sendable {
  var word: Word
}

/// A part that tells when it is compared.
private struct Word: Sendable, Equatable {
  let text: String
  var isCompared: @Sendable () -> Void = {}

  static func == (left: Word, right: Word) -> Bool {
    left.isCompared()
    return left.text == right.text
  }
}

extension BindableActor {
  fileprivate func run(_ body: @Sendable () -> Void) {
    body()
  }
}
