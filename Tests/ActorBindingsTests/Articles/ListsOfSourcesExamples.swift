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

  @Test
  func `an array of sources that come and go`() async {
    let (one, two) = (BindableActor(1), BindableActor(2))
    let workers = BindableActor([one])
    // article
    let loads = workers.flatMapLatest { combineLatest($0) }
    // end
    var elements = loads.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await elements.next() == [1])
    workers.modify { $0.append(two) }
    #expect(await elements.next() == [1, 2])
    two.send(3)
    #expect(await elements.next() == [1, 3])
    workers.modify { $0.removeFirst() }
    #expect(await elements.next() == [3])
    one.send(4)  // nothing reads it any more
    workers.send([])
    #expect(await elements.next() == [])
    workers.finish()
    #expect(await elements.next() == nil)
  }

  @Test
  func `sources that come and go by ID`() async {
    struct Session: Equatable, Sendable {
      var page: String
    }
    let sessions = BindableDictionary<Int, BindableActor<Session>>()
    // article
    let states = sessions.flatMapLatest { sessions in
      let all = Array(sessions)
      return combineLatest(all.map(\.value)).map { states in
        PersistentDictionary(
          uniqueKeysWithValues: zip(all.map(\.key), states)
        )
      }
    }
    // end
    var elements = states.values(backlog: .unbounded).makeAsyncIterator()
    #expect(await elements.next() == [:])
    weak var gone: BindableActor<Session>?
    do {
      let one = BindableActor(Session(page: "home"))
      gone = one
      sessions.set(one, forKey: 1)
      #expect(await elements.next() == [1: Session(page: "home")])
      one.send(Session(page: "search"))
      #expect(await elements.next() == [1: Session(page: "search")])
    }
    let two = BindableActor(Session(page: "home"))
    sessions.set(two, forKey: 2)
    #expect(await elements.next() == [1: Session(page: "search"), 2: Session(page: "home")])
    sessions.removeValue(forKey: 1)
    #expect(await elements.next() == [2: Session(page: "home")])
    await eventually { gone == nil }
    two.send(Session(page: "basket"))
    #expect(await elements.next() == [2: Session(page: "basket")])
    sessions.finish()
    two.finish()
    #expect(await elements.next() == nil)
  }
}
