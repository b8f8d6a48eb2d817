import ActorBindings
import Testing

/// Checks what ten rounds of readers that come and go leave behind: little until the next update, and nothing after it.
@Suite
struct MatrixLeakTests {
  private static let rounds = 10
  // The number of registrations that four rounds leave without a sweep.
  private static let limit = 4 * 50

  @Test(arguments: MatrixRow.single)
  func `owners that die and observations that are cancelled leave nothing behind after an update`(
    row: MatrixRow
  ) async {
    let trial = await Trial(of: row)
    let (before, handlers, context) = (trial.registrationCounts, Census(), ManualContext())
    for _ in 0..<Self.rounds {
      for number in 0..<50 {
        // Every second owner has a source of its own. (With a derived cell, all owners share a source, because each
        // derived cell is held until the end of the test.)
        let source = number % 2 == 0 || row.hasDerivedCell ? trial.source : trial.anotherSource
        let (owned, cancelled) = (handlers.citizen(), handlers.citizen())
        let owner = Owner()
        source.observe(owner, on: context.delivery) { _, _ in _ = owned }
        let token = source.observe(on: context.delivery) { _ in _ = cancelled }
        context.run()
        token.cancel()
        withExtendedLifetime(owner) {}
      }
      context.run()
    }
    var problems: [String] = []
    let left = zip(trial.registrationCounts, before).map { $0 - $1 }
    if left.contains(where: { $0 > Self.limit }) { problems.append("Registrations are left: \(left)") }
    if handlers.alive > Self.limit { problems.append("Handlers are left: \(handlers.alive)") }
    await trial.driver.write(3)
    let isClean = await trial.soon {
      context.run()
      return handlers.alive == 0 && trial.registrationCounts == before
    }
    if !isClean {
      let left = trial.registrationCounts
      problems.append("After an update: \(left) in place of \(before), \(handlers.alive) handlers")
    }
    record(problems)
    trial.end()
    context.run()
  }
}

private final class Owner: Sendable {}
