import ActorBindings
import Testing

// The code between the markers is shown in the article `ListsOfSources`; the suite `ArticleTests` compares the two.

@Suite
struct ListsOfSourcesExamples {
  @Test
  func `a list of sources`() {
    struct Worker: Sendable {
      var load: Int
    }
    let workers = (1...4).map { BindableActor(Worker(load: $0)) }
    // article
    let loads = workers.map { $0.map(\.load) }
    let total = combineLatest(loads).map { $0.reduce(0, +) }
    // end
    #expect(total.value == 10)
    workers[2].modify { $0.load = 10 }
    #expect(total.value == 17)
  }
}
