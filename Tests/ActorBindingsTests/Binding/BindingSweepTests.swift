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
  func `a binding to a cell that is gone ends at a sweep, without a write`(isOfPart: Bool) async {
    var field: BindableActor<String>? = BindableActor("")
    bind(field!, isOfPart: isOfPart)
    await user.settled()
    field = nil
    await sweep()
    await eventually { user.observerCount == 0 }
  }
}
