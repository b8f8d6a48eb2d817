import ActorBindings
import ActorBindingsTesting
import Foundation
import Testing

@Suite
struct QuiesceTests {
  /// A view model that hides all cells but one.
  private final class Model: Sendable {
    let text = BindableActor("")
    let title: Recorder<String>
    private let length: BindableActor<Int>

    init(_ search: @escaping @Sendable (String) async throws -> String) {
      let found = text.mapLatest { try await search($0) }
      length = BindableActor(of: text.map(\.count))
      let line = combineLatest(found, length).map { "\($0.content ?? "…") \($1)" }
      title = Recorder(line, on: .queue(DispatchQueue(label: "display")))
    }
  }

  @Test
  func `everything that a hidden cell causes has happened`() async throws {
    let model = Model { text in
      for _ in 1...10 { await Task.yield() }
      return text.uppercased()
    }
    for text in ["c", "ca", "cat"] {
      model.text.send(text)
      try await quiesce(model.text)
      #expect(model.title.values.last == "\(text.uppercased()) \(text.count)")
    }
  }

  @Test
  func `a function at a gate is not waited for, and is once the gate opens`() async throws {
    let gate = Gate()
    let model = Model { text in
      if text == "cat" { try await gate.wait() }
      await Task.yield()
      return text
    }
    model.text.send("cat")
    try await quiesce(model.text)
    #expect(gate.waiting.value == 1)
    #expect(model.title.values.last == "… 3")
    gate.open()
    try await quiesce(model.text)
    #expect(model.title.values.last == "cat 3")
  }

  @Test
  func `a load and a call of an action are waited for`() async throws {
    let rates = LoadingCell {
      await Task.yield()
      return 7
    }
    rates.startLoading()
    try await quiesce(rates)
    #expect(rates.value.content == 7)

    let saved = BindableActor(0)
    let save = AsyncAction { (value: Int) in
      await Task.yield()
      saved.send(value)
    }
    save.start(3)
    try await quiesce(save.isExecuting)
    #expect(saved.value == 3)
  }

  @Test
  func `a source that nothing reads is quiet, and so is one whose timer waits`() async throws {
    let text = BindableActor("")
    try await quiesce(text)
    let recorder = Recorder(text.debounce(for: .seconds(3600)))
    text.send("cat")
    try await quiesce(text)
    #expect(recorder.values.isEmpty)
  }

  @Test
  func `a function is waited for while only a child of it sleeps`() async throws {
    let (text, clock) = (BindableActor(""), ManualClock())
    let found = text.mapLatest { text in
      let sleeper = Task { try await clock.sleep(for: .seconds(60)) }
      _ = await clock.sleepers.first { $0 > 0 }
      await Task.yield()
      sleeper.cancel()
      return text.uppercased()
    }
    let recorder = Recorder(found)
    text.send("cat")
    try await quiesce(text)
    #expect(recorder.values.last?.content == "CAT")
  }

  @Test
  func `an observer that a handler begins has received its first value`() async throws {
    let (selection, item) = (BindableActor(0), BindableActor(5))
    let seen = BindableActor(0)
    let bag = DisposeBag()
    selection.dropFirst().observe(on: .queue(DispatchQueue(label: "selection"))) { _ in
      item.observe(on: .queue(DispatchQueue(label: "item"))) { seen.send($0) }.store(in: bag)
    }
    .store(in: bag)
    selection.send(1)
    try await quiesce(selection, item)
    #expect(seen.value == 5)
  }

  @Test
  func `an observer upstream that has nothing to do with the source is not waited for`() async throws {
    let (text, context) = (BindableActor(""), ManualContext())
    let view = Recorder(text, on: context.delivery)
    let found = text.mapLatest { $0.uppercased() }
    let upper = Recorder(found)
    text.send("cat")
    try await quiesce(found)
    #expect(upper.values.last?.content == "CAT")
    #expect(view.values.isEmpty)
  }

  @Test
  func `the message says what is still under way`() async throws {
    let (text, context, answer) = (BindableActor("").named("text"), ManualContext(), Answer())
    let found = text.mapLatest { _ in await answer.wait() }
    let recorders = [Recorder(found.map { _ in }), Recorder(text.map { _ in }, on: context.delivery)]
    context.pumpAll()
    text.send("cat")
    let error = await #expect(throws: QuiescenceError.self) {
      try await quiesce(text, within: .milliseconds(50))
    }
    let lines = (error?.description ?? "").split(separator: "\n")
    #expect(lines.first?.contains("QuiesceTests.swift") == true)
    #expect(lines.first?.hasSuffix(": quiesce: still under way after 0.05 seconds:") == true)
    #expect(lines.contains { $0.hasPrefix("  a task of mapLatest") })
    #expect(lines.contains { $0.hasPrefix("  an observer at ") && $0.hasSuffix(", 1 behind") })
    answer.resume()
    recorders.forEach { $0.cancel() }
  }

  @Test
  func `a task that is cancelled waits no longer`() async throws {
    let answer = Answer()
    let found = BindableActor("").mapLatest { _ in await answer.wait() }
    let recorder = Recorder(found)
    let waiting = Task { try await quiesce(found) }
    await answer.isAsked()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    answer.resume()
    recorder.cancel()
  }
}

/// An answer that comes from outside: the kit does not know that a task waits for it.
private final class Answer: Sendable {
  private let hasCome = BindableActor(false)
  private let asked = BindableActor(false)

  func wait() async {
    asked.send(true)
    _ = await hasCome.first { $0 }
  }

  func isAsked() async { _ = await asked.first { $0 } }

  func resume() {
    hasCome.send(true)
  }
}
