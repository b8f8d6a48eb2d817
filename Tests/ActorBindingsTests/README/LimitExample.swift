import ActorBindings
import Testing

// The code between the markers is shown in the README; the suite `ReadmeTests` compares the two.

@Suite
struct LimitExample {
  @Test
  func `a limit is observed on the main actor and streamed to a loop`() async {
    // README
    let limit = BindableActor(100)  // a cell and its first value

    // Both print the value now, and after each change.
    let token = limit.observe(on: .main) { print("limit:", $0) }
    let loop = Task { for await new in limit.values { print("loop:", new) } }

    limit.send(200)  // from any thread, task or actor
    limit.modify { $0 += 50 }  // reads and writes in one step
    print(limit.value)  // 250

    await limit.settled()  // all observers have handled that
    limit.finish()  // the loop receives the last value, and ends
    // end
    await loop.value
    token.cancel()
    #expect(printed.elements.last { $0.hasPrefix("limit") } == "limit: 250")
    #expect(printed.elements.last { $0.hasPrefix("loop") } == "loop: 250")
    #expect(printed.elements.contains("250"))
  }
}

private let printed = Recorder<String>()

private func print(_ items: Any...) {
  printed.record(items.map { "\($0)" }.joined(separator: " "))
}
