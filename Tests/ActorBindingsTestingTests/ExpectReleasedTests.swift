import ActorBindings
import ActorBindingsTesting
import Testing

@Suite
struct ExpectReleasedTests {
  /// A view that shows a cell.
  private final class View: Sendable {
    let shown = BindableActor(0)
    let bag = DisposeBag()

    init(_ prices: BindableActor<Int>, keepsItself: Bool) {
      let strong = keepsItself ? self : nil
      prices.observe(on: .immediate) { [weak self] price in
        (strong ?? self)?.shown.send(price)
      }
      .store(in: bag)
    }
  }

  @Test
  func `objects that are released after the scope pass`() async throws {
    let prices = BindableActor(0)
    try await expectReleased { objects in
      let view = objects.track(View(prices, keepsItself: false))
      _ = objects.track(view.shown, as: "the shown price")
      prices.send(1)
      #expect(view.shown.value == 1)
    }
    #expect(prices.observerCount == 0)
  }

  @Test
  func `an object that a handler keeps alive is named, with the line`() async throws {
    let prices = BindableActor(0)
    let line = #line + 3
    var error: ReleaseError?
    do {
      try await expectReleased(within: .milliseconds(20)) { objects in
        let view = objects.track(View(prices, keepsItself: true))
        _ = objects.track(view.shown, as: "the shown price")
      }
    } catch let caught as ReleaseError {
      error = caught
    }
    #expect(error?.names == ["View", "the shown price"])
    let place = "ActorBindingsTestingTests/ExpectReleasedTests.swift:\(line)"
    #expect(error?.description.split(separator: ": ").first.map(String.init) == place)
    // The end of the cell ends the observation, and so the cycle.
    prices.finish()
  }

  @Test
  func `the error says which readers a cell has that is still in use`() async throws {
    var token: BindingToken?
    let error = await #expect(throws: ReleaseError.self) {
      try await expectReleased(within: .zero) { objects in
        let prices = objects.track(BindableActor(0), as: "prices")
        let rates = objects.track(LoadingCell { 7 }, as: "rates")
        token = prices.observe(on: .immediate, fileID: "Server/Hub.swift", line: 88) { _ in
          _ = (prices, rates)
        }
      }
    }
    let lines = error?.description.split(separator: "\n").dropFirst().map(String.init)
    #expect(lines == ["  prices: observer at Server/Hub.swift:88 on the thread of the writer, .latest"])
    #expect(error?.names == ["prices", "rates"])
    token?.cancel()
  }

  @Test
  func `an object that a task releases later passes`() async throws {
    let gate = Gate()
    try await expectReleased { objects in
      let view = objects.track(View(BindableActor(0), keepsItself: false))
      Task {
        try await gate.wait()
        _ = view.shown.value
      }
      _ = await gate.waiting.first { $0 == 1 }
      gate.open()
    }
  }

  @Test
  func `the error of the scope is thrown`() async {
    struct Problem: Error {}
    await #expect(throws: Problem.self) {
      try await expectReleased { _ in throw Problem() }
    }
  }
}
