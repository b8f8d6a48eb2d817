import ActorBindings
import Testing

@Suite
struct ProfileExample {
  // README
  struct User: Sendable {
    var name = "Ada"
    var followers = 1
  }

  final class Label {  // not Sendable, as views are
    var text: String?
  }

  @MainActor
  final class ProfileView {
    let name = Label()
    let followers = Label()
    var isStarred = false

    init(_ user: BindableActor<User>) {
      user.bind(\.name, to: name, \.text)
      user.bind(\.followers, to: followers, \.text, transform: String.init)
      user.observe(self) { view, user in view.isStarred = user.followers >= 1000 }
    }
  }
  // end

  @Test @MainActor
  func `labels show their values before the initializer returns, and later ones`() async {
    let user = BindableActor(User())
    var view: ProfileView? = ProfileView(user)
    #expect(view?.name.text == "Ada")
    #expect(view?.followers.text == "1")
    #expect(user.observerCount == 3)

    user.modify { $0.followers = 1000 }
    await user.settled()
    #expect(view?.followers.text == "1000")
    #expect(view?.isStarred == true)

    view = nil
    user.send(User())
    await user.settled()
    #expect(user.observerCount == 0)
  }
}
