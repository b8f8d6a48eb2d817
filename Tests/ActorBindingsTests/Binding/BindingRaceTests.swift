import ActorBindings
import Testing

/// A value that tells when it is compared.
private struct Compared: Sendable, Equatable {
  let text: String
  var isCompared: @Sendable () -> Void = {}

  static func == (left: Compared, right: Compared) -> Bool {
    left.isCompared()
    return left.text == right.text
  }
}

private struct Sheet: Sendable {
  var title: Compared
}

private struct Unequatable: Sendable {
  let number: Int
}

/// The index of a part: a key path with this index keeps it alive.
private final class Bookmark: Hashable, Sendable {
  let onDeinit: @Sendable () -> Void

  init(_ onDeinit: @escaping @Sendable () -> Void) {
    self.onDeinit = onDeinit
  }

  static func == (left: Bookmark, right: Bookmark) -> Bool { left === right }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  deinit {
    onDeinit()
  }
}

private struct Book: Sendable {
  var page = 1

  subscript(_ bookmark: Bookmark) -> Int {
    get { page }
    set { page = newValue }
  }
}

/// Two-way bindings, and writes that come while the binding compares or converts a value.
@Suite
struct BindingRaceTests {
  private let a = BindableActor(1)
  private let b = BindableActor(2)
  private let sheet = BindableActor(Sheet(title: Compared(text: "1")))

  @Test
  func `a value that comes during the first conversion is copied`() async {
    a.bindTwoWay(
      to: b,
      transform: { [a] number in
        if number == 1 { a.send(5) }
        return number
      },
      reverse: { $0 }
    )
    await settle(a)
    #expect((a.value, b.value) == (5, 5))
  }

  @Test
  func `a value that comes during a conversion is copied, though the binding writes later`() async {
    a.bindTwoWay(
      to: b,
      transform: { $0 },
      reverse: { [b] number in
        if number == 3 { b.send(4) }
        return number
      }
    )
    b.send(3)
    await settle(a)
    #expect((a.value, b.value) == (4, 4))
  }

  @Test
  func `what the binding has written is not sent back, though the values cannot be compared`() async {
    let (c, d) = (BindableActor(Unequatable(number: 1)), BindableActor(Unequatable(number: 2)))
    c.bindTwoWay(to: d)
    #expect((c.version, d.version) == (0, 1))
    d.send(Unequatable(number: 3))
    await settle(c)
    #expect((c.version, d.version) == (1, 2))
    c.send(Unequatable(number: 4))
    await settle(c)
    #expect((c.version, d.version) == (2, 3))
  }

  @Test
  func `a cancelled binding releases its conversions at once, though the isolation of its cell is busy`()
    async
  {
    let isReleased = Flag()
    let token = {
      let captured = Mortal { isReleased.set() }
      return a.bindTwoWay(
        to: b,
        transform: { number in withExtendedLifetime(captured) { number } },
        reverse: { $0 }
      )
    }()
    await settle(a)
    #expect(!isReleased.isSet)
    await a.whileBusy {
      token.cancel()
      #expect(isReleased.isSet)
    }
  }

  @Test
  func `a cancelled binding of a part releases its key path at once, though the isolation is busy`() async {
    let isReleased = Flag()
    let book = BindableActor(Book())
    let token = book.bindTwoWay(\.[Bookmark { isReleased.set() }], to: a)
    await settle(book)
    #expect(!isReleased.isSet)
    await book.whileBusy {
      token.cancel()
      #expect(isReleased.isSet)
    }
  }

  @Test
  func `a part that is written while the binding begins is copied`() async {
    let hasWritten = Flag()
    let title = BindableActor(
      Compared(text: "") { [sheet] in
        if hasWritten.isSet { return }
        hasWritten.set()
        sheet.send(Sheet(title: Compared(text: "2")))
      }
    )
    sheet.bindTwoWay(\.title, to: title)
    await settle(sheet)
    #expect(sheet.value.title.text == "2")
    #expect(title.value.text == "2")
  }

  @Test
  func `a value that comes while the binding copies the part to its cell is copied`() async {
    let title = BindableActor(Compared(text: ""))
    sheet.bindTwoWay(\.title, to: title)
    let hasWritten = Flag()
    sheet.send(
      Sheet(
        title: Compared(text: "2") {
          if hasWritten.isSet { return }
          hasWritten.set()
          title.send(Compared(text: "3"))
        }
      )
    )
    await settle(sheet)
    #expect(sheet.value.title.text == "3")
    #expect(title.value.text == "3")
    title.send(Compared(text: "4"))
    await settle(sheet)
    #expect(sheet.value.title.text == "4")
  }

  @Test(arguments: [false, true])
  func `a binding that begins among fast writers leaves no claim behind`(isOfPart: Bool) {
    let (title, count) = (BindableActor(Compared(text: "")), Counter())
    let end = Compared(text: "1")
    @Sendable
    func rival() -> Compared {
      Compared(text: "1 or another") {
        let number = count.add()
        if number <= 10 { title.send(number < 10 ? rival() : end) }
      }
    }
    title.send(rival())
    if isOfPart {
      sheet.bindTwoWay(\.title, to: title)
    } else {
      let source = BindableActor(Compared(text: "1", isCompared: rival().isCompared))
      source.bindTwoWay(to: title)
    }
    #expect(title.value == end)
    let before = title.version
    // With a claim of this thread, only 255 of its writes would be allowed.
    for _ in 1...300 { title.send(end) }
    #expect(title.version == before + 300)
  }

  // The binding must also see what it has written itself.
  private func settle<Value>(_ cell: BindableActor<Value>) async {
    for _ in 1...3 { await cell.settled() }
  }
}

extension BindableActor {
  fileprivate func whileBusy(_ body: @Sendable () -> Void) {
    body()
  }
}
