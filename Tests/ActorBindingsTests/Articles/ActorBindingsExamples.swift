import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `ActorBindings`; the suite `ArticleTests` compares the two.

@Suite
struct ActorBindingsExamples {
  struct Config: Sendable {
    var title = "a server"
    var workers = 4

    static func load() -> Config { Config() }
  }

  actor Pool {
    nonisolated let applied = Recorder<Int>()

    func apply(_ config: Config) {
      applied.record(config.workers)
    }
  }

  @MainActor
  final class Label {
    var text = ""
  }

  @Test @MainActor
  func `what follows a cell`() async {
    let (log, pool, label) = (DispatchQueue(label: "log"), Pool(), Label())
    let printed = Recorder<Int>()
    @Sendable func print(_ config: Config) { printed.record(config.workers) }
    var sizes: [Int] = []
    // A loop ends with its task.
    func resize(to workers: Int) {
      sizes.append(workers)
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
    }
    await Task {
      // article
      let config = BindableActor(Config.load())

      config.modify { $0.workers = 8 }  // from anywhere

      let token = config.observe(on: .queue(log)) { print($0) }  // on a queue
      config.observe(with: pool) { $0.apply($1) }  // on an actor
      config.bind(\.title, to: label, \.text)  // on the caller's isolation

      for await workers in config.map(\.workers).removeDuplicates().values {
        resize(to: workers)
      }
      // end
      await printed.reached(1)
      await pool.applied.reached(1)
      token.cancel()
    }.value
    #expect(sizes == [8])
    #expect(printed.elements == [8])
    #expect(pool.applied.elements == [8])
    #expect(label.text == "a server")
  }
}
