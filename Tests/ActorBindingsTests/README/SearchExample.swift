import ActorBindings
import Testing

// The code between the markers is shown in the README; the suite `ReadmeTests` compares the two.

@Suite
struct SearchExample {
  private struct API: Sendable {
    func search(_ text: String) async throws -> [String] { ["about \(text)"] }
  }

  @Test
  func `a search shows the results for the newest text`() async {
    let (search, api, shown) = (BindableActor("swift"), API(), Recorder<String>())
    func show(_ phase: LoadingPhase<[String]>) { shown.record("\(phase)") }
    // The end of the source delivers the text that waits, so the test does not wait for the quiet time.
    search.finish()
    // README
    let results = search.debounce(for: .milliseconds(300)).mapLatest { try await api.search($0) }

    for await phase in results.values {
      show(phase)  // loading, loaded, failed
    }
    // end
    #expect(shown.last == "loaded [\"about swift\"]")
  }
}
