import ActorBindings
import Dispatch
import Testing

/// What `print` shows of cells, tokens and contexts.
@Suite
struct DescriptionTests {
  @Test
  func `a cell says its value, its version and its readers`() {
    let cell = BindableActor(5)
    #expect("\(cell)" == "BindableActor<Int>(5, version 0, 0 readers)")
    let token = cell.observe(on: .immediate, fileID: "Server/Log.swift", line: 40) { _ in }
    cell.send(6)
    #expect("\(cell)" == "BindableActor<Int>(6, version 1, 1 reader)")
    cell.finish()
    #expect("\(cell)" == "BindableActor<Int>(6, version 1, 0 readers, finished)")
    #expect("\(token)" == "BindingToken(ended, Server/Log.swift:40)")
  }

  @Test
  func `a description begins with the name`() {
    #expect("\(BindableActor(5, name: "limit"))" == "limit, BindableActor<Int>(5, version 0, 0 readers)")
    #expect("\(BindableActor(5).named("limit"))" == "limit, BindableActor<Int>(5, version 0, 0 readers)")
    let array = BindableArray([1], name: "rows")
    #expect("\(array)" == "rows, BindableArray<Int>(1 element, version 0, 0 readers)")
    let dictionary = BindableDictionary(["a": 1], name: "prices")
    #expect("\(dictionary)" == "prices, BindableDictionary<String, Int>(1 entry, version 0, 0 readers)")
    #expect("\(EventSource<Int>(name: "taps"))" == "taps, EventSource<Int>(version 0, 0 readers)")
    #expect("\(LoadingCell(name: "rates") { 7 })" == "rates, LoadingCell<Int>(idle, version 0, 0 readers)")
  }

  @Test
  func `a long value is shortened`() {
    let cell = BindableActor(String(repeating: "a", count: 1000))
    let text = String(repeating: "a", count: 60)
    #expect("\(cell)" == "BindableActor<String>(\(text)…, version 0, 0 readers)")
  }

  @Test
  func `a collection says how many elements it has`() {
    let array = BindableArray([1, 2, 3])
    #expect("\(array)" == "BindableArray<Int>(3 elements, version 0, 0 readers)")
    let dictionary = BindableDictionary(["a": 1])
    #expect("\(dictionary)" == "BindableDictionary<String, Int>(1 entry, version 0, 0 readers)")
  }

  @Test
  func `loading cells and event sources describe themselves`() {
    #expect("\(LoadingCell { 7 })" == "LoadingCell<Int>(idle, version 0, 0 readers)")
    let events = EventSource<Int>()
    let token = events.observe(on: .immediate, fileID: "Server/Log.swift", line: 41) { _ in }
    events.send(1)
    #expect("\(events)" == "EventSource<Int>(version 1, 1 reader)")
    token.cancel()
    #expect("\(token)" == "BindingToken(cancelled, Server/Log.swift:41)")
  }

  @Test
  func `a token says whether it is active, and which line began its observation`() {
    let cell = BindableActor(0)
    let token = cell.observe(on: .immediate) { _ in }
    let line = #line - 1
    #expect("\(token)" == "BindingToken(active, ActorBindingsTests/DescriptionTests.swift:\(line))")
    token.cancel()
    #expect("\(token)" == "BindingToken(cancelled, ActorBindingsTests/DescriptionTests.swift:\(line))")
    #expect("\(BindingToken {})" == "BindingToken(active)")
  }

  @Test @MainActor
  func `a context names the place where handlers run`() {
    #expect("\(DeliveryContext.cell)" == "the cell's own isolation")
    #expect("\(DeliveryContext.immediate)" == "the thread of the writer")
    #expect("\(DeliveryContext.main)" == "the actor MainActor")
    let queue = DispatchQueue(label: "com.example.log")
    #expect("\(DeliveryContext.queue(queue))" == "the queue com.example.log")
    let custom = DeliveryContext(id: 1) { $0() }
    #expect("\(custom)" == "the context 1")
  }
}
