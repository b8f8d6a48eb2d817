import ActorBindings

/// The values that handlers received. The handlers share one tally, since they run on one context, one at a time. Cells
/// begin with -1, which is not counted.
// @unchecked: used by one context; read after its gate was passed.
final class Tally: @unchecked Sendable {
  // Accesses are not checked for overlaps: the check would cost more than a delivery.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private(set) var sum = 0
  @exclusivity(unchecked) private var missing: Int
  private let end: Int
  private let gate = Gate()

  /// Makes a tally for a number of handlers, each of which is done after the value `end`.
  init(until end: Int, handlers: Int = 1) {
    self.end = end
    missing = handlers
  }

  @inline(__always)
  func receive(_ value: Int) {
    if value < 0 { return }
    count &+= 1
    sum &+= value
    if value == end { reachedEnd() }
  }

  private func reachedEnd() {
    missing -= 1
    if missing == 0 { gate.arrive() }
  }

  /// Returns when all handlers have received the last value.
  func isDone(isolation: isolated (any Actor)? = #isolation) async {
    await gate.passed()
  }

  /// A handler, the same for all subjects.
  var handler: @Sendable (Int) -> Void {
    { [self] in receive($0) }
  }

  /// Checks that each handler received 0 to `n - 1`.
  func expectAll(_ n: Int, handlers: Int = 1) throws {
    try expect(count, equals: n * handlers, "values delivered")
    try expect(sum, equals: n * (n - 1) / 2 * handlers, "the sum of the values")
  }
}

extension Tally: BindingTarget {}
