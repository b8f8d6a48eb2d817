import ActorBindings
import Testing

// The code between the markers is shown in the article `GettingStarted`; the suite `ArticleTests` compares the two.

@Suite
struct GettingStartedExamples {
  @Test @MainActor
  func `the car park, step by step`() async {
    let printed = Recorder<String>()
    @Sendable func print(_ line: String) { printed.record(line) }
    // article
    struct CarPark: Sendable {
      var cars: [String] = []
      var free: Int { 3 - cars.count }

      /// Whether there was room.
      mutating func enter(_ car: String) -> Bool {
        guard free > 0 else { return false }
        cars.append(car)
        return true
      }
    }

    let park = BindableActor(CarPark())

    let isIn = park.modify { $0.enter("red") }
    print("red is in: \(isIn), free: \(park.value.free)")
    // end
    #expect(printed.elements == ["red is in: true, free: 2"])

    // article
    let logging = park.map(\.free).removeDuplicates().observe { free in
      print("log: \(free) free")
    }

    park.modify { $0.enter("blue") }
    await park.settled()
    // end
    #expect(printed.elements.dropFirst() == ["log: 2 free", "log: 1 free"])

    // article
    let isShut = BindableActor(false)

    let isFull = park.map { $0.free == 0 }.removeDuplicates()
    let barrier = Task {
      for await full in isFull.values {
        print("barrier: \(full ? "shut" : "open")")
        isShut.send(full)
      }
    }

    park.modify { $0.enter("green") }
    _ = await isShut.first { $0 }
    // end
    #expect(printed.elements.last { $0.hasPrefix("barrier") } == "barrier: shut")

    // article
    @MainActor
    final class Sign {
      var text = ""
    }

    let sign = Sign()
    park.bind(\.free, to: sign, \.text) { $0 == 0 ? "full" : "\($0) free" }
    print("sign: \(sign.text)")
    // end
    #expect(printed.elements.contains("sign: full"))

    // article
    actor Attendant {
      private let bag = DisposeBag()
      private(set) var changes = 0

      func begin(at park: BindableActor<CarPark>) {
        park.dropFirst()
          .observe(with: self, backlog: .unbounded) { attendant, _ in
            attendant.changes += 1
          }
          .store(in: bag)
      }

      func goHome() {
        bag.dispose()
      }
    }

    let attendant = Attendant()
    await attendant.begin(at: park)

    park.modify { park in park.cars.removeAll { $0 == "red" } }
    park.modify { $0.enter("white") }
    await park.settled()

    print("the attendant saw \(await attendant.changes) changes")
    await attendant.goHome()
    park.modify { $0.cars.removeAll() }
    print("and now \(await attendant.changes)")
    // end
    #expect(printed.elements.contains("the attendant saw 2 changes"))
    #expect(printed.elements.contains("and now 2"))

    // article
    park.finish()
    await barrier.value
    await park.settled()
    print("sign: \(sign.text), followers: \(park.observerCount)")
    logging.cancel()
    // end
    #expect(printed.last == "sign: 3 free, followers: 0")
    #expect(printed.elements.last { $0.hasPrefix("log") } == "log: 3 free")
    #expect(printed.elements.last { $0.hasPrefix("barrier") } == "barrier: open")
  }
}
