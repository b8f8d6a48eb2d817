import ActorBindings
import Testing

/// Two-way bindings, and sweeps that look for dead cells while nothing is written.
@Suite
struct BindingSweepTests {
  private let user = BindableActor("Ada")

  private func bind(_ other: BindableActor<String>, isOfPart: Bool) {
    if isOfPart { user.bindTwoWay(\.self, to: other) } else { user.bindTwoWay(to: other) }
  }

  /// Begins enough observations to make the cell look for dead owners.
  private func sweep() async {
    let context = ManualContext()
    for _ in 1...200 {
      user.observe(on: context.delivery) { _ in }.cancel()
      context.run()
    }
    await user.settled()
  }

  @Test(arguments: [false, true])
  func `a binding of two living cells goes on after a sweep`(isOfPart: Bool) async {
    let field = BindableActor("")
    bind(field, isOfPart: isOfPart)
    await user.settled()
    await sweep()
    field.send("Grace")
    await user.settled()
    #expect(user.value == "Grace")
  }

  @Test(arguments: [false, true])
  func `a binding to a cell that is gone ends without a write`(isOfPart: Bool) async {
    var field: BindableActor<String>? = BindableActor("")
    bind(field!, isOfPart: isOfPart)
    await user.settled()
    #expect(user.observerCount == 1)
    field = nil
    await eventually { user.observerCount == 0 }
  }

  /// What joins two cells.
  enum Joint: CaseIterable {
    case twoWay
    case twoWayOfPart
    case combination
  }

  private struct Note: Equatable, Sendable {
    let text: String
    let held: any Sendable

    static func == (left: Note, right: Note) -> Bool { left.text == right.text }
  }

  // If the end of one cell ended nothing, the joint cell would keep the value of that cell, which holds the other cell.
  @Test(arguments: Joint.allCases)
  func `a cell that is gone keeps no cell alive that its value holds`(joint: Joint) async {
    let isReleased = Flag()
    do {
      let field = BindableActor(Note(text: "1", held: Mortal { isReleased.set() }))
      let user = BindableActor(Note(text: "1", held: field))
      switch joint {
      case .twoWay: user.bindTwoWay(to: field)
      case .twoWayOfPart: user.bindTwoWay(\.self, to: field)
      case .combination: combineLatest(user, field).observe(user, on: .immediate) { _, _ in }
      }
    }
    await eventually { isReleased.isSet }
  }
}
