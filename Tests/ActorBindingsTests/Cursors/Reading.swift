import ActorBindings

/// An element that a reader of a source of numbers receives, with version, skipped and isInitial.
struct Reading<Value: Sendable & Equatable>: Sendable, Equatable, CustomStringConvertible {
  let value: Value
  let version: UInt64
  let skipped: Int
  let isInitial: Bool

  init(_ update: Update<Value>) {
    value = update.value
    version = update.version
    skipped = update.skipped
    isInitial = update.isInitial
  }

  init(_ value: Value, version: UInt64, skipped: Int = 0, isInitial: Bool = false) {
    self.value = value
    self.version = version
    self.skipped = skipped
    self.isInitial = isInitial
  }

  var description: String {
    "\(value) at \(version) after \(skipped)\(isInitial ? ", initial" : "")"
  }
}

/// A reader of a source while a test writes.
protocol Reader<Value> {
  associatedtype Value: Sendable & Equatable
  /// Reads all that is available now.
  func read() async
  var readings: [Reading<Value>] { get }
}

/// A reader that reads a source as an observer does, when the test says so.
struct ObservingReader<Value: Sendable & Equatable>: Reader {
  private let context = ManualContext()
  private let seen = Recorder<Reading<Value>>()
  private let token: BindingToken

  init(_ source: some BindingSource<Value>, _ backlog: Backlog) {
    token = source.versioned().observe(on: context.delivery, backlog: backlog) { [seen] in
      seen.record(Reading($0))
    }
  }

  func read() { context.run() }
  var readings: [Reading<Value>] { seen.elements }
}

/// A reader that reads a source as a loop does, when the test says so.
final class StreamingReader<Source: BindingSource>: Reader where Source.Value: Equatable {
  typealias Value = Source.Value
  private var cursor: VersionedCursor<Source.Cursor>
  private(set) var readings: [Reading<Value>] = []

  /// Makes the reader of a loop, without a task. The reader begins where the loop would begin.
  init(_ source: Source, _ backlog: Backlog) {
    cursor = VersionedCursor(base: source.cursor)
    cursor.root.begin(depth: backlog.depth, reserved: nil)
  }

  deinit {
    cursor.root.end()
  }

  func read() {
    while true {
      switch cursor.next(in: nil) {
      case .element(let update, _): readings.append(Reading(update))
      case .rejected: continue
      case .idle, .finished: return
      }
    }
  }
}
