import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the README; the suite `ReadmeTests` compares the two.

@Suite
struct ConfigurationExample {
  @Test
  func `a configuration is observed on a queue and streamed to a loop`() async {
    // README
    struct Config: Sendable {
      var workers = 4
      var level = "info"
    }

    let config = BindableActor(Config())
    let log = DispatchQueue(label: "log")

    // An observer on a queue. It ends when its token is cancelled or released.
    let token = config.map(\.level).removeDuplicates().observe(on: .queue(log)) { level in
      print("log level:", level)
    }

    // A loop. It begins with the current value. After it was busy, it continues with the newest one.
    let resizing = Task {
      for await workers in config.map(\.workers).removeDuplicates().values {
        print("workers:", workers)
      }
    }

    config.modify { $0.workers = 8 }  // from any thread, task or actor; no await
    config.modify { $0.level = "debug" }

    await config.settled()  // every observer has handled that
    config.finish()  // loops get the last value, and end
    await resizing.value
    token.cancel()
    // end
    #expect(printed.elements.last { $0.hasPrefix("log") } == "log level: debug")
    #expect(printed.elements.last { $0.hasPrefix("workers") } == "workers: 8")
    #expect(printed.elements.count <= 4)
  }
}

private let printed = Recorder<String>()

private func print(_ items: Any...) {
  printed.record(items.map { "\($0)" }.joined(separator: " "))
}
