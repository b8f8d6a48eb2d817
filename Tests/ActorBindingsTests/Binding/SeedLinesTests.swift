import ActorBindings
import Testing

/// The first lines of code for which this library was designed.
@Suite
struct SeedLinesTests {
  struct Colors: Sendable {
    var primary = "black"
  }

  struct User: Sendable {
    var name = "Ada"
    var followersCount = 1
    var colors = Colors()
  }

  @MainActor
  final class Label {
    var text: String?
  }

  final class PlainLabel {
    var text = ""
  }

  final class Header {
    var backgroundColor = ""
  }

  struct SyncService {
    func sync(then done: @escaping @Sendable (User) -> Void) {
      done(User(name: "Grace"))
    }
  }

  @MainActor
  final class Controller {
    let name = Label()
    let count = Label()
    let header = Header()
    let plain = PlainLabel()

    init(_ user: BindableActor<User>) {
      user.bind(\.name, to: name, \.text)
      user.bind(\.colors.primary, to: header, \.backgroundColor)
      user.bind(\.followersCount, to: count, \.text, transform: String.init)
      user.bind(\.name, to: plain, \.text)
    }
  }

  @Test @MainActor
  func `the seed lines compile, and set their properties before they return`() {
    let user = BindableActor(User())
    let controller = Controller(user)
    #expect(controller.name.text == "Ada")
    #expect(controller.count.text == "1")
    #expect(controller.header.backgroundColor == "black")
    #expect(controller.plain.text == "Ada")
    SyncService().sync(then: user.send)
    #expect(user.value.name == "Grace")
  }

  @Test
  func `the operator of the seeds takes a source and a target`() async {
    let (source, target) = (BindableActor(User(name: "Grace")), BindableActor(User()))
    source ->> target
    await source.settled()
    #expect(target.value.name == "Grace")
  }
}
