import ActorBindings
import Testing

@MainActor
private final class Label: @MainActor BindingTarget {
  private(set) var texts: [String] = []

  func receive(_ text: String) {
    texts.append(text)
  }
}

private final class Log: BindingTarget, Sendable {
  let lines = Recorder<String>()

  func receive(_ line: String) {
    lines.record(line)
  }
}

@Suite
struct TargetTests {
  private let name = BindableActor("a")

  @Test @MainActor
  func `a target receives the current value at once, and each later one, until it is released`() async {
    var label: Label? = Label()
    name.bind(to: label!)
    #expect(label?.texts == ["a"])
    name.send("b")
    await name.settled()
    #expect(label?.texts == ["a", "b"])
    label = nil
    name.send("c")
    await name.settled()
    #expect(name.observerCount == 0)
  }

  @Test @MainActor
  func `the operator binds like the method`() async {
    let label = Label()
    name.map { $0 + "!" } ->> label
    #expect(label.texts == ["a!"])
    var heard: [String] = []
    let token = name ->> { heard.append($0) }
    name.send("b")
    await name.settled()
    #expect(label.texts == ["a!", "b!"])
    #expect(heard == ["a", "b"])
    token.cancel()
  }

  @Test @MainActor
  func `a closure is a target as long as its sink exists`() async {
    let heard = Recorder<String>()
    var sink: BindingSink? = BindingSink<String> { heard.record($0) }
    name.bind(to: sink!)
    name.send("b")
    await name.settled()
    sink = nil
    name.send("c")
    await name.settled()
    #expect(heard.elements == ["a", "b"])
  }

  @Test
  func `a target on a context`() {
    let context = ManualContext()
    let log = Log()
    name.bind(to: log, on: context.delivery)
    context.run()
    name.send("b")
    context.run()
    #expect(log.lines.elements == ["a", "b"])
  }

  @Test
  func `a cell is a target, and is written on its own isolation`() async {
    let copy = BindableActor("")
    let token = name.map { $0 + $0 } ->> copy
    #expect(await copy.first { $0 == "aa" } != nil)
    name.send("b")
    #expect(await copy.first { $0 == "bb" } != nil)
    token.cancel()
    name.send("c")
    await name.settled()
    #expect(copy.value == "bb")
  }

  @Test
  func `a cell that is a target is not kept alive`() async {
    weak var weakly: BindableActor<String>?
    do {
      let copy = BindableActor("")
      weakly = copy
      name.bind(to: copy)
    }
    await eventually { weakly == nil }
    name.send("b")
    await eventually { name.observerCount == 0 }
  }

  @Test
  func `cells that write each other let other tasks run`() async {
    let (a, b) = (BindableActor(0), BindableActor(0))
    let tokens = [a.map { $0 + 1 } ->> b, b.map { $0 + 1 } ->> a]
    // The observer runs on the pool, as the cells do. If the pool has one thread, a Dispatch queue gets no thread as
    // long as there are tasks.
    let (seen, worker) = (Recorder<Int>(), Worker())
    let token = a.observe(with: worker) { _, value in seen.record(value) }
    #expect(await b.first { $0 > 10_000 } != nil)
    await seen.reached(10)
    #expect(a.observerCount <= 3)
    tokens.forEach { $0.cancel() }
    await token.cancelAndWait()
    #expect(zip(seen.elements, seen.elements.dropFirst()).allSatisfy { $0 < $1 })
  }
}
