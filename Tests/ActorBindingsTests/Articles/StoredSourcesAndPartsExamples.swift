import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `StoredSourcesAndParts`; the suite `ArticleTests` compares the
// two.

private struct Config: Sendable {
  var limit = 2
  var paths = ["/"]
}

@Suite
struct StoredSourcesAndPartsExamples {
  private let config = BindableActor(Config())

  // article
  final class Form: Sendable {
    let name = BindableActor("")
    let mail = BindableActor("")
    let canSubmit: AnyStateSource<Bool>
    let edits: [AnyBindingSource<String>]

    init() {
      canSubmit = combineLatest(name, mail)
        .map { !$0.isEmpty && $1.contains("@") }
        .erased()
      edits = [name.dropFirst().erased(), mail.removeDuplicates().erased()]
    }
  }
  // end

  @Test
  func `storing a source`() async {
    let form = Form()
    let seen = Recorder<String>()
    let context = ManualContext()
    let tokens = form.edits.map { $0.observe(on: context.delivery) { seen.record($0) } }
    context.run()
    form.name.send("Ada")
    form.mail.send("ada@example.org")
    context.run()
    #expect(form.canSubmit.value)
    #expect(Set(seen.elements) == ["", "Ada", "ada@example.org"])
    let (session, profile) = (BindableActor<Int?>(nil), BindableActor("Ada"))
    // article
    let greeting = session.flatMapLatest { session in
      session == nil
        ? .constant(nil)
        : profile.map { Optional("Hello, \($0)") }.erased()
    }
    // end
    var greetings = greeting.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await greetings.next() == .some(nil))
    session.send(1)
    #expect(await greetings.next() == "Hello, Ada")
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `ending early`() async {
    var (adjusted, shown): ([Int], [Int]) = ([], [])
    let (progress, cancellations) = (BindableActor(0), EventSource<Void>())
    func adjust(to limit: Int) { adjusted.append(limit) }
    func show(_ part: Int) { shown.append(part) }
    async let writing: Void = write { [config] in
      await config.parked(1)
      for limit in [3, 0, 4] { config.modify { $0.limit = limit } }
      await progress.parked(1)
      progress.send(1)
      cancellations.send()
      progress.send(2)
    }
    // article
    let limits = config.map(\.limit).prefix { $0 > 0 }
    for await limit in limits.values(backlog: .unbounded) {
      adjust(to: limit)
    }

    let parts = progress.prefix(until: cancellations)
    for await part in parts.values(backlog: .unbounded) {
      show(part)
    }
    // end
    await writing
    #expect(adjusted == [2, 3])
    #expect(shown == [0, 1])
    #expect(config.observerCount == 0)
  }

  @Test
  func `one part of a cell`() async {
    let log = DispatchQueue(label: "log")
    let noted = Recorder<String>()
    @Sendable func note(_ text: String) { noted.record(text) }
    // article
    let limit = config.lens(\.limit)
    limit.send(4)  // changes no other property
    limit.modify { $0 += 1 }  // atomic, like `modify` of the cell

    let token = limit.removeDuplicates()
      .observe(on: .queue(log)) { note("limit \($0)") }
    // end
    config.modify { $0.paths.append("/x") }
    await config.settled()
    #expect(noted.elements == ["limit 5"])
    #expect(config.value.limit == 5)
    await token.cancelAndWait()
  }

  @Test
  func `a part as the target of a binding`() async {
    let limits = BindableActor(1)
    // article
    limits.observe(with: config) { config, limit in
      config.lens(\.limit).send(limit)
    }
    // end
    limits.send(8)
    await limits.settled()
    #expect(config.value.limit == 8)
    #expect(config.value.paths == ["/"])
  }

  @Test
  func `keeping a part equal to a cell`() async {
    let field = BindableActor(0)
    // article
    config.bindTwoWay(\.limit, to: field)
    // end
    #expect(field.value == 2)
    field.send(7)
    await config.settled()
    #expect(config.value.limit == 7)
    #expect(config.value.paths == ["/"])
  }

  private func write(_ body: @Sendable () async -> Void) async {
    await body()
  }
}
