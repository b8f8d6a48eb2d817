import Counting
import Synchronization

/// Something that programs do often. What each time costs on this thread is counted: allocations, acquisitions of locks,
/// and atomic operations.
struct Operation: Sendable {
  /// The name for `--filter` and for the file of limits, without the word for what is counted.
  let id: String
  let title: String
  /// How often the operation is performed before anything is counted.
  let warmUp: Int
  /// How often the operation is performed while the steps of this thread are counted. Each step takes microseconds then.
  let stepped: Int
  /// The parts of one operation, for example deliveries to a hundred observers. The counts are for each part.
  let fan: Int
  let countsAllocations: Bool
  let prepare: @Sendable () async throws -> Prepared

  /// An operation on cells and readers that exist.
  struct Prepared {
    /// Performs the operation once. The numbers are 0, 1, 2 and so on.
    let perform: (_ number: Int) throws -> Void
    /// Ends the readers, and checks that all has been delivered of an operation that was performed `n` times.
    let end: (_ n: Int) throws -> Void
  }

  init(
    _ id: String,
    _ title: String,
    warmUp: Int = 1000,
    stepped: Int = 8,
    fan: Int = 1,
    countsAllocations: Bool = true,
    prepare: @escaping @Sendable () async throws -> Prepared
  ) {
    self.id = id
    self.title = title
    self.warmUp = warmUp
    self.stepped = stepped
    self.fan = fan
    self.countsAllocations = countsAllocations
    self.prepare = prepare
  }

  var counts: [Count] {
    let steps = Steps(of: self)
    let all = [
      Count("allocations.\(id)", title) { try await countAllocations() },
      Count("locks.\(id)", title, isOfSteps: true) { try await steps.found(.locks) },
      Count("atomics.\(id)", title, isOfSteps: true) { try await steps.found(.atomics) },
    ]
    return countsAllocations ? all : Array(all.dropFirst())
  }

  private func countAllocations() async throws -> Double {
    let n = max(stepped, 1000 / fan)
    let prepared = try await prepare()
    for number in 0..<warmUp { try prepared.perform(number) }
    let found = try allocations(per: n * fan) {
      for number in warmUp..<warmUp + n { try prepared.perform(number) }
    }
    try prepared.end(warmUp + n)
    return (found * 10_000).rounded() / 10_000
  }

  /// The steps of an operation. Counting them takes long, so both results come from one counting. If the same result is
  /// asked for again, because it exceeds its limit, the steps are counted again.
  private final class Steps: Sendable {
    enum Kind: Sendable {
      case locks
      case atomics
    }

    private let operation: Operation
    private let known = Mutex<[Kind: Double]>([:])

    init(of operation: Operation) {
      self.operation = operation
    }

    func found(_ kind: Kind) async throws -> Double {
      if let found = known.withLock({ $0.removeValue(forKey: kind) }) { return found }
      var found = try await count()
      defer { known.withLock { [found] in $0 = found } }
      return found.removeValue(forKey: kind) ?? 0
    }

    private func count() async throws -> [Kind: Double] {
      let (warmUp, n) = (operation.warmUp, operation.stepped)
      // During this, the runtime makes what it needs for the types.
      let trial = try await operation.prepare()
      try trial.perform(0)
      try trial.end(1)
      let prepared = try await operation.prepare()
      for number in 0..<warmUp { try prepared.perform(number) }
      let steps = try stepped {
        for number in warmUp..<warmUp + n { try prepared.perform(number) }
      }
      try prepared.end(warmUp + n)
      let parts = Double(n * operation.fan)
      return [
        .locks: (Double(steps.acquisitions) / parts * 100).rounded() / 100,
        .atomics: (Double(steps.atomics) / parts * 100).rounded() / 100,
      ]
    }

    private func stepped(_ body: () throws -> Void) rethrows -> steps_result {
      steps_begin()
      defer { _ = steps_end() }
      try body()
      return steps_end()
    }
  }
}
