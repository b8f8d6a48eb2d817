import ActorBindings
import Testing

private struct Address: Sendable, Equatable {
  var city = "Paris"
  var street: String?
}

private struct User: Sendable, Equatable {
  var name = "Ada"
  var visits = 0
  var address = Address()
  var office: Address?
  var scores: [String: Int] = [:]
}

@Suite
struct LensTests {
  private let user = BindableActor(User())

  @Test
  func `a lens reads and writes one part`() {
    let name = user.lens(\.name)
    #expect(name.value == "Ada")
    name.send("Grace")
    name.modify { $0 += "!" }
    #expect(user.value == User(name: "Grace!"))
    #expect(user.version == 2)
    #expect("\(name)" == "a lens of String in User")
  }

  @Test
  func `a lens writes only if the part differs, or is as expected`() {
    let name = user.lens(\.name)
    #expect(!name.sendIfChanged("Ada"))
    #expect(name.sendIfChanged("Grace"))
    #expect(!name.compareAndSet("Ada", "Alan"))
    #expect(name.compareAndSet("Grace", "Alan"))
    #expect(name.value == "Alan")
    #expect(user.version == 2)
  }

  @Test
  func `a body that throws changes nothing, and its error has its type`() {
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try user.lens(\.name).modify { name throws(Refusal) in
        name = "Grace"
        throw Refusal()
      }
    }
    #expect(user.version == 0)
    let visits = user.lens(\.visits).modify { visits in
      visits += 2
      return visits
    }
    #expect(visits == 2)
  }

  @Test
  func `a lens has observers, loops and operators`() async {
    let city = user.lens(\.address.city)
    let values = city.removeDuplicates().values(backlog: .unbounded)
    let (seen, context) = (Recorder<String>(), ManualContext())
    let token = city.observe(on: context.delivery) { seen.record($0) }
    context.run()
    city.send("Rome")
    user.lens(\.visits).send(1)
    context.run()
    user.finish()
    context.run()
    #expect(seen.elements == ["Paris", "Rome"])
    #expect(await values.elements() == ["Paris", "Rome"])
    withExtendedLifetime(token) {}
  }

  @Test
  func `lenses nest`() {
    let street = user.lens(\.address).lens(\.street)
    #expect(street.value == nil)
    street.send("Via Appia")
    #expect(user.value.address.street == "Via Appia")
    #expect(user.value.address.city == "Paris")
  }

  @Test
  func `the part of a part that is nil is nil, and stays nil`() {
    let city = user.lens(\.office).lens(\.city)
    let street = user.lens(\.office).lens(\.street)
    #expect(city.value == nil)
    city.send("Rome")
    street.send("Via Appia")
    #expect(user.value.office == nil)
    user.lens(\.office).send(Address())
    city.send("Rome")
    street.send("Via Appia")
    #expect(user.value.office == Address(city: "Rome", street: "Via Appia"))
    city.send(nil)
    street.send(nil)
    #expect(user.value.office == Address(city: "Rome", street: nil))
  }

  @Test
  func `a lens of an optional cell reads and writes the parts of its value`() {
    let session = BindableActor<Address?>(nil)
    let (city, street) = (session.lens(\.city), session.lens(\.street))
    city.send("Rome")
    #expect(session.value == nil)
    session.send(Address(city: "Rome", street: "Via Appia"))
    #expect(city.value == "Rome")
    street.modify { $0?.append(" 1") }
    #expect(session.value?.street == "Via Appia 1")
  }

  @Test
  func `a lens of a key adds, changes and removes the key`() {
    let chess = user.lens(\.scores).lens(forKey: "chess")
    #expect(chess.value == nil)
    chess.send(1)
    chess.modify { $0 = ($0 ?? 0) + 1 }
    #expect(user.value.scores == ["chess": 2])
    chess.send(nil)
    #expect(user.value.scores == [:])
    let sessions = BindableActor([1: "Ada"])
    sessions.lens(forKey: 2).send("Grace")
    #expect(sessions.value == [1: "Ada", 2: "Grace"])
  }

  @Test
  func `a lens of a key of a dictionary cell adds, changes and removes the key`() {
    let scores = BindableDictionary(["go": 7])
    let chess = scores.lens(forKey: "chess")
    #expect(chess.value == nil)
    chess.send(1)
    chess.modify { $0 = ($0 ?? 0) + 1 }
    #expect(!chess.sendIfChanged(2))
    #expect(scores.value == ["chess": 2, "go": 7])
    BindingTransaction.run { transaction in transaction[chess]? += 1 }
    #expect(chess.value == 3)
    #expect(chess.compareAndSet(3, nil))
    #expect(scores.value == ["go": 7])
    #expect(scores.version == 4)
  }

  @Test
  func `each write of a dictionary wakes a lens, and a lens wakes the source of its key`() {
    let scores = BindableDictionary(["chess": 1])
    let (ofLens, ofKey, context) = (Recorder<Int?>(), Recorder<Int?>(), ManualContext())
    let tokens = [
      scores.lens(forKey: "chess").observe(on: context.delivery, backlog: .unbounded) { ofLens.record($0) },
      scores.source(forKey: "chess").observe(on: context.delivery, backlog: .unbounded) { ofKey.record($0) },
    ]
    context.run()
    scores.set(7, forKey: "go")
    scores.lens(forKey: "chess").send(2)
    scores.lens(forKey: "go").send(nil)
    context.run()
    #expect(ofLens.elements == [1, 1, 2, 2])
    #expect(ofKey.elements == [1, 2])
    for token in tokens { token.cancel() }
  }

  @Test
  func `writers of different parts lose no write of each other`() async {
    let (visits, scores) = (user.lens(\.visits), user.lens(\.scores).lens(forKey: "a"))
    let name = user.lens(\.name)
    let rounds = stressed(500)
    await concurrently(6) { index in
      await repeatedly(rounds) { round in
        switch index % 3 {
        case 0: visits.modify { $0 += 1 }
        case 1: scores.modify { $0 = ($0 ?? 0) + 1 }
        default: name.send("\(round)")
        }
      }
    }
    #expect(visits.value == 2 * rounds)
    #expect(scores.value == 2 * rounds)
    #expect(name.value == "\(rounds - 1)")
    #expect(user.version == UInt64(6 * rounds))
  }

  @Test
  func `a transaction reads and writes parts`() {
    let log = BindableActor<[String]>([])
    let (name, visits) = (user.lens(\.name), user.lens(\.visits))
    BindingTransaction.run { transaction in
      transaction[visits] += 1
      transaction[name] = "Grace"
      transaction[log].append(transaction[name])
    }
    #expect(user.value == User(name: "Grace", visits: 1))
    #expect(user.version == 1)
    #expect(log.value == ["Grace"])
  }

  @Test
  func `a lens does not keep its cell, and writes nothing after the end`() {
    weak var weakly: BindableActor<User>?
    let name: Lens<User, String>
    do {
      let cell = BindableActor(User())
      weakly = cell
      name = cell.lens(\.name)
    }
    #expect(weakly == nil)
    name.send("Grace")
    #expect(name.value == "Ada")
    #expect(!name.sendIfChanged("Grace"))
    #expect(!name.compareAndSet("Ada", "Grace"))
  }
}
