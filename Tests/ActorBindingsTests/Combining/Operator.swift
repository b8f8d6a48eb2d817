import ActorBindings
import Testing

/// An operator, the writes, and what a reader with each backlog receives each time it continues.
struct Operator: Sendable, CustomTestStringConvertible {
  let name: String
  let script: [Step]
  let make: @Sendable (Cells) -> any BindingSource<Int>
  let latest: [[Int]]
  /// The values that a reader with `.bounded(2)` receives.
  let newestTwo: [[Int]]
  /// The values that a reader with `.unbounded` receives.
  let all: [[Int]]

  init(
    _ name: String,
    _ script: [Step] = .writes,
    latest: [[Int]],
    newestTwo: [[Int]],
    all: [[Int]],
    _ make: @escaping @Sendable (Cells) -> any BindingSource<Int>
  ) {
    self.name = name
    self.script = script
    self.make = make
    self.latest = latest
    self.newestTwo = newestTwo
    self.all = all
  }

  var testDescription: String { name }

  /// Whether the operator has its own reader of the sources, which must be idle before the operator's readers continue.
  var comesToRest: Bool {
    script.contains { step in
      if case .rest = step { true } else { false }
    }
  }
}

extension [Step] {
  fileprivate static let writes: [Step] = [
    .read,
    .a(2), .a(3), .a(4), .b(20), .read,
    .b(30), .both(5, 40), .a(6), .read,
    .b(50), .a(7), .a(8), .finish, .read,
  ]

  /// Inserts the steps that wait for an operator with its own reader of the sources.
  fileprivate static let writesAtRest = writes.flatMap { step -> [Step] in
    if case .read = step { [.rest, .read] } else { [step] }
  }

  fileprivate static let switches: [Step] = [
    .read,
    .a(2), .a(3), .a(4), .rest, .read,
    .room(1), .a(98), .a(99), .rest, .b(20), .b(30), .rest, .read,
    .b(40), .room(0), .b(41), .rest, .a(5), .finish, .rest, .read,
  ]

  fileprivate static let pauses: [Step] = [
    .rest, .interval(1), .read,
    .a(2), .a(3), .rest, .interval(2), .a(4), .rest, .interval(3), .a(5), .rest, .interval(4), .read,
    .a(6), .a(7), .finish, .rest, .read,
  ]

  fileprivate static let intervals: [Step] = [
    .rest, .read,
    .a(2), .a(3), .rest, .interval(2), .a(4), .rest, .interval(3), .a(5), .rest, .interval(4), .read,
    .a(6), .a(7), .finish, .rest, .read,
  ]

  fileprivate static let intervalsOfOldest: [Step] = [
    .rest, .read,
    .a(2), .a(3), .a(4), .rest, .interval(2), .interval(3), .a(5), .rest, .interval(4), .read,
    .a(6), .a(7), .finish, .rest, .read,
  ]
}

// MARK: - The table

extension Operator {
  static let all = combinations + events + switches + histories + cells + times

  private static let combinations = [
    combination("combineLatest of two") { cells in
      combineLatest(cells.a, cells.b).map { $0 * 100 + $1 }
    },
    // The first and the third source read the same cell and always agree, so the combination has no further value.
    combination("combineLatest of three") { cells in
      combineLatest(cells.a, cells.b, cells.a.map { -$0 }).map { $0 * 100 + $1 + ($0 + $2) * 10_000 }
    },
    combination("combineLatest of four") { cells in
      combineLatest(cells.b.map { -$0 }, cells.a, cells.b, cells.a.map { -$0 })
        .map { $1 * 100 + $2 + ($0 + $2) * 10_000 + ($1 + $3) * 1_000_000 }
    },
    combination("combineLatest of six") { cells in
      combineLatest(cells.a, cells.b, cells.a.map { -$0 }, cells.b.map { -$0 }, cells.b, cells.a)
        .map { $5 * 100 + $4 + ($0 + $2) * 10_000 + ($1 + $3) * 1_000_000 }
    },
    combination("combineLatest of what was combined") { cells in
      combineLatest(combineLatest(cells.a, cells.b).map { $0 * 100 + $1 }, cells.room).map { $0 + $1 }
    },
  ]

  private static func combination(
    _ name: String,
    _ make: @escaping @Sendable (Cells) -> any BindingSource<Int>
  ) -> Operator {
    Operator(
      name,
      latest: [[110], [420], [640], [850]],
      newestTwo: [[110], [410, 420], [540, 640], [750, 850]],
      all: [[110], [210, 310, 410, 420], [430, 540, 640], [650, 750, 850]],
      make
    )
  }

  private static let events = [
    merged("merge of two") { merge($0.a, $0.b) },
    merged("merge of three") { merge($0.a, $0.b, $0.a.filter { _ in false }) },
    Operator(
      "zip",
      latest: [[110], [420], [640], [850]],
      newestTwo: [[110], [420], [540], [650]],
      all: [[110], [220], [330, 440], [550]]
    ) { zip($0.a, $0.b).map { $0 * 100 + $1 } },
  ]

  private static func merged(
    _ name: String,
    _ make: @escaping @Sendable (Cells) -> any BindingSource<Int>
  ) -> Operator {
    Operator(
      name,
      latest: [[1, 10], [4, 20], [40, 6], [50, 8]],
      // `.bounded(2)` counts instants, not values. `both` wrote 5 and 40 at one instant. At the instant of 7, `b` held
      // 50, which the reader had not received.
      newestTwo: [[1, 10], [4, 20], [5, 40, 6], [50, 7, 8]],
      all: [[1, 10], [2, 3, 4, 20], [30, 5, 40, 6], [50, 7, 8]],
      make
    )
  }

  private static let switches = [
    switched("switchToLatest") { cells in
      cells.room.map { [cells.a, cells.b][$0].readOnly }.switchToLatest()
    },
    switched("flatMapLatest") { cells in
      cells.room.flatMapLatest { [cells.a, cells.b][$0].map { $0 + 0 } }
    },
  ]

  private static func switched(
    _ name: String,
    _ make: @escaping @Sendable (Cells) -> any BindingSource<Int>
  ) -> Operator {
    Operator(
      name,
      .switches,
      latest: [[1], [4], [30], [5]],
      newestTwo: [[1], [3, 4], [20, 30], [99, 5]],
      all: [[1], [2, 3, 4], [10, 20, 30], [40, 99, 5]],
      make
    )
  }

  private static let histories = [
    Operator(
      "scan",
      latest: [[1], [5], [11], [19]],
      newestTwo: [[1], [4, 8], [13, 19], [26, 34]],
      all: [[1], [3, 6, 10], [15, 21], [28, 36]]
    ) { $0.a.scan(0, +) },
    Operator(
      "withPrevious",
      latest: [[1], [104], [406], [608]],
      newestTwo: [[1], [103, 304], [405, 506], [607, 708]],
      all: [[1], [102, 203, 304], [405, 506], [607, 708]]
    ) { $0.a.withPrevious().map { ($0 ?? 0) * 100 + $1 } },
    Operator(
      "dropFirst",
      latest: [[], [4], [6], [8]],
      newestTwo: [[], [3, 4], [5, 6], [7, 8]],
      all: [[], [2, 3, 4], [5, 6], [7, 8]]
    ) { $0.a.dropFirst() },
  ]

  private static let cells = [
    Operator(
      "readOnly",
      latest: [[1], [4], [6], [8]],
      newestTwo: [[1], [3, 4], [5, 6], [7, 8]],
      all: [[1], [2, 3, 4], [5, 6], [7, 8]]
    ) { $0.a.readOnly },
    Operator(
      "a derived cell",
      .writesAtRest,
      latest: [[-1], [-4], [-6], [-8]],
      newestTwo: [[-1], [-3, -4], [-5, -6], [-7, -8]],
      all: [[-1], [-2, -3, -4], [-5, -6], [-7, -8]]
    ) { BindableActor(of: $0.a.map { -$0 }, backlog: .unbounded) },
  ]

  private static let times = [
    Operator(
      "debounce",
      .pauses,
      latest: [[1], [5], [7]],
      newestTwo: [[1], [4, 5], [7]],
      all: [[1], [3, 4, 5], [7]]
    ) { $0.a.debounce(for: .seconds(3), clock: $0.clock) },
    Operator(
      "throttle",
      .intervals,
      latest: [[1], [5], [7]],
      newestTwo: [[1], [4, 5], [7]],
      all: [[1], [3, 4, 5], [7]]
    ) { $0.a.throttle(for: .seconds(3), clock: $0.clock) },
    Operator(
      "throttle to the oldest",
      .intervalsOfOldest,
      latest: [[1], [5], [7]],
      newestTwo: [[1], [4, 5], [7]],
      all: [[1], [2, 4, 5], [7]]
    ) { $0.a.throttle(for: .seconds(3), latest: false, clock: $0.clock) },
  ]
}
