import ActorBindings
import Dispatch
import Testing

// The code between the markers is shown in the article `DeliveryContexts`; the suite `ArticleTests` compares the two.

@Suite
struct DeliveryContextsExamples {
  struct User: Sendable {
    let name: String
    let shown: Recorder<String>
  }

  private let shown = Recorder<String>()

  actor Session {
    nonisolated let greeted = Recorder<String>()

    func greet(_ user: User) { greeted.record(user.name) }
  }

  @Test
  func `a queue and an actor`() async {
    let user = BindableActor(User(name: "Ada", shown: shown))
    let (log, session, noted) = (DispatchQueue(label: "log"), Session(), Recorder<String>())
    @Sendable func note(_ name: String) { noted.record(name) }
    // article
    let token = user.observe(on: .queue(log)) { note($0.name) }  // on a queue
    user.observe(with: session) { $0.greet($1) }  // on an actor
    // end
    await user.settled()
    #expect(noted.elements == ["Ada"])
    #expect(session.greeted.elements == ["Ada"])
    token.cancel()
  }

  // article
  @MainActor final class Controller {
    init(_ user: BindableActor<User>) {
      user.observe(self) { controller, user in controller.show(user) }
    }
  }
  // end

  @Test @MainActor
  func `the caller's isolation`() async {
    let user = BindableActor(User(name: "Ada", shown: shown))
    let controller = Controller(user)
    #expect(shown.elements == ["Ada"])
    user.send(User(name: "Eve", shown: shown))
    await user.settled()
    #expect(shown.elements == ["Ada", "Eve"])
    withExtendedLifetime(controller) {}
  }

  final class EventLoop: Sendable {
    private let manual = ManualContext()

    func execute(_ work: @escaping @Sendable () -> Void) { manual.add(work) }
    func run() { manual.run() }
  }

  @Test
  func `anything that runs closures`() {
    let (loop, cell, seen) = (EventLoop(), BindableActor(1), Recorder<Int>())
    // article
    let context = DeliveryContext(id: ObjectIdentifier(loop)) { work in
      loop.execute(work)
    }
    // end
    let token = cell.observe(on: context) { seen.record($0) }
    #expect(seen.elements.isEmpty)
    loop.run()
    #expect(seen.elements == [1])
    token.cancel()
  }

  @Test
  func `the main actor, for nonisolated code`() async {
    let user = BindableActor(User(name: "Ada", shown: shown))
    let controller = await Controller(BindableActor(User(name: "nobody", shown: shown)))
    // article
    user.observe(controller, on: MainActor.shared) { controller, user in
      controller.show(user)
    }
    // end
    await user.settled()
    #expect(shown.elements == ["nobody", "Ada"])
    withExtendedLifetime(controller) {}
  }

  enum Phase: Sendable {
    case loggedOut
    case loggedIn(User)

    var name: String? {
      if case .loggedIn(let user) = self { user.name } else { nil }
    }
  }

  @Test
  func `the cell itself`() async {
    let (session, audit, bag) = (BindableActor(Phase.loggedOut), Recorder<Phase>(), DisposeBag())
    let user = User(name: "Ada", shown: shown)
    // article
    session.observe(on: .cell) { audit.record($0) }.store(in: bag)
    await session.update(.loggedIn(user))  // returns when it is recorded
    // end
    #expect(audit.last?.name == "Ada")
  }
}

extension DeliveryContextsExamples.Controller {
  func show(_ user: DeliveryContextsExamples.User) {
    user.shown.record(user.name)
  }
}
