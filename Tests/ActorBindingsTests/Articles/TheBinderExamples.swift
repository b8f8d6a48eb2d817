import ActorBindings
import Testing

// The code between the markers is shown in the article `TheBinder`; the suite `ArticleTests` compares the two.

@MainActor @Suite
struct TheBinderExamples {
  // article
  struct Profile: Equatable, Sendable {
    var name = "Ann"
    var followers = 41
    var isFollowed = false
    var followTitle: String { isFollowed ? "Unfollow" : "Follow" }
  }

  /// Holds the profile, and changes it. Knows no view.
  final class ProfileService: Sendable {
    private let current = BindableActor(Profile())

    // Other types can read it, and cannot write it.
    var profile: some StateSource<Profile> { current.readOnly }

    func toggleFollow() async throws {
      // … asks a server, and then:
      current.modify { profile in
        profile.isFollowed.toggle()
        profile.followers += profile.isFollowed ? 1 : -1
      }
    }
  }
  // end

  // article
  @MainActor
  final class Text {
    var string = ""
  }

  @MainActor
  final class Button {
    var title = ""
    var isEnabled = true
    /// Reports each tap of the user.
    let taps = EventSource<Void>()
  }

  /// Holds only what it shows, and knows no service.
  @MainActor
  final class ProfileScreen {
    let heading = Text()
    let followers = Text()
    let follow = Button()
    var problem: (any Error)?
  }
  // end

  // article
  @MainActor
  func bind(
    _ screen: ProfileScreen,
    to service: ProfileService,
    for user: String,
    in bag: DisposeBag
  ) {
    // 1. Set what does not change.
    screen.heading.string = "Seen by \(user)"

    // 2. Bind the state: a line for each property.
    service.profile.map { "\($0.followers)" }
      .bind(to: screen.followers, \.string).store(in: bag)
    service.profile.map(\.followTitle)
      .bind(to: screen.follow, \.title).store(in: bag)

    // 3. Bind the actions: some lines for each thing that the user can do.
    let toggle = bag.keep(AsyncAction { try await service.toggleFollow() })
    screen.follow.taps.bind(to: toggle).store(in: bag)
    toggle.isEnabled.bind(to: screen.follow, \.isEnabled).store(in: bag)
    toggle.errors.observe(screen) { $0.problem = $1 }.store(in: bag)
  }
  // end

  @Test
  func `in use`() async {
    // article
    let service = ProfileService()
    let screen = ProfileScreen()
    let bag = DisposeBag()
    bind(screen, to: service, for: "bob", in: bag)

    screen.follow.taps.send()
    // end
    #expect(screen.heading.string == "Seen by bob")
    await eventually {
      screen.followers.string == "42" && screen.follow.title == "Unfollow" && screen.follow.isEnabled
    }
    screen.follow.taps.send()
    await eventually {
      screen.followers.string == "41" && screen.follow.title == "Follow" && screen.follow.isEnabled
    }
  }

  @Test
  func `no binding remains, whichever object is released first`() async throws {
    let weakService: () -> ProfileService?
    let screen = ProfileScreen()
    do {
      let bag = DisposeBag()
      let service = ProfileService()
      weakService = { [weak service] in service }
      bind(screen, to: service, for: "bob", in: bag)
      #expect(screen.follow.title == "Follow")
      bag.dispose()
    }
    screen.follow.taps.send()
    await eventually { weakService() == nil && screen.follow.taps.observerCount == 0 }
    #expect(screen.followers.string == "41")

    var other: ProfileScreen? = ProfileScreen()
    let (bag, service) = (DisposeBag(), ProfileService())
    if let other { bind(other, to: service, for: "bob", in: bag) }
    let weakScreen = { [weak other] in other }
    other = nil
    #expect(weakScreen() == nil)
    try await service.toggleFollow()
    bag.dispose()
  }

  private final class Counts {
    var count = 0
    func reset() { count += 1 }
  }

  private actor Remote {
    var count = 0
    func reset() { count += 1 }
  }

  @Test
  func `each way to call a method of a service`() async throws {
    let (taps, service, remote) = (EventSource<Void>(), Counts(), Remote())
    taps.observe(service) { service, _ in service.reset() }
    taps.observe(with: remote) { service, _ in service.reset() }
    let token = taps.observe(service.reset)
    taps.send()
    await taps.settled()
    #expect(service.count == 2)
    #expect(await remote.count == 1)
    token.cancel()
  }
}
