import ActorBindings
import Testing

/// The forms in which a source can be followed.
enum Form: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case observed = "observe, on a context"
  case owned = "observe with an owner, on a context"
  case ownedHere = "observe with an owner, on the caller's isolation"
  case property = "bind a property, on a context"
  case propertyHere = "bind a property, on the caller's isolation"
  case target = "bind to a target, on a context"
  case targetHere = "bind to a target, on the caller's isolation"
  case cell = "bind to a cell"
  case loop = "for await"

  var testDescription: String { rawValue }
}

/// A reader that is busy except when a test lets it continue.
struct Following {
  let seen: Recorder<Int>
  /// Runs a closure while the reader is busy.
  var whileBusy: (@escaping @Sendable () -> Void) async -> Void = { $0() }
  /// Whether the reader was woken, and will continue as soon as it may.
  var isDue: () -> Bool = { true }
  /// Lets the reader read everything that is available.
  let getOn: () async -> Void
  /// Whether the source and the reader have ended, though the bound object has not.
  let hasEnded: () -> Bool
}

extension Form {
  /// Whether the reader's executor can be kept busy for longer than one call.
  var isBusyAllTheWhile: Bool { self != .cell }

  /// Follows a source. The reader is busy from the beginning.
  func follow(_ source: some BindingSource<Int>, _ backlog: Backlog) -> Following {
    let (seen, context, stage) = (Recorder<Int>(), ManualContext(), Stage())
    let object = Property(seen)
    let isFollowed = { source.cursor.root.cell.readerCount > 0 }
    func following(_ token: BindingToken) -> Following {
      Following(
        seen: seen,
        isDue: { context.pending + stage.pending > 0 },
        getOn: {
          context.run()
          stage.run()
        },
        hasEnded: { withExtendedLifetime((token, object)) { !isFollowed() && !token.isCancelled } }
      )
    }
    switch self {
    case .observed:
      let token = source.observe(on: context.delivery, backlog: backlog) { seen.record($0) }
      return following(token)
    case .owned:
      let token = source.observe(object, on: context.delivery, backlog: backlog) { $0.number = $1 }
      return following(token)
    case .ownedHere:
      let token = stage.assumeIsolated { _ in source.observe(object, backlog: backlog) { $0.number = $1 } }
      return following(token)
    case .property:
      let token = source.bind(to: object, \.number, on: context.delivery, backlog: backlog)
      return following(token)
    case .propertyHere:
      let token = stage.assumeIsolated { _ in source.bind(to: object, \.number, backlog: backlog) }
      return following(token)
    case .target:
      let token = source.bind(to: object, on: context.delivery, backlog: backlog)
      return following(token)
    case .targetHere:
      let token = stage.assumeIsolated { _ in source.bind(to: object, backlog: backlog) }
      return following(token)
    case .cell:
      let cell = BindableActor(0)
      let log = cell.dropFirst().observe(on: context.delivery, backlog: .unbounded) { seen.record($0) }
      context.run()
      let token = source.bind(to: cell, backlog: backlog)
      return Following(
        seen: seen,
        whileBusy: { write in await cell.run(write) },
        getOn: {
          await source.cursor.root.cell.settled()
          withExtendedLifetime(log, context.run)
        },
        hasEnded: { !isFollowed() && !token.isCancelled && !cell.isFinished }
      )
    case .loop:
      let (executor, isOver) = (ManualExecutor(), Flag())
      let stream = source.values(backlog: backlog)
      Task.detached(executorPreference: executor) {
        for await value in stream { seen.record(value) }
        isOver.set()
      }
      // A `.latest` stream begins when its loop begins.
      executor.run()
      return Following(
        seen: seen,
        isDue: { executor.pending > 0 },
        getOn: { executor.run() },
        hasEnded: { isOver.isSet && !isFollowed() }
      )
    }
  }
}

/// A bound object that keeps all values to which it was set.
private final class Property: BindingTarget, Sendable {
  private let seen: Recorder<Int>

  init(_ seen: Recorder<Int>) {
    self.seen = seen
  }

  var number: Int {
    get { seen.last ?? 0 }
    set { seen.record(newValue) }
  }

  func receive(_ number: Int) {
    self.number = number
  }
}

/// An actor whose jobs run when a test says so.
private actor Stage {
  private nonisolated let executor = StageExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  nonisolated var pending: Int { executor.pending }

  nonisolated func run() {
    executor.run()
  }
}

private final class StageExecutor: SerialExecutor {
  private let jobs = Guarded<[UnownedJob]>([])

  var pending: Int { jobs.withLock { $0.count } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  // Only the thread of the test uses this executor.
  func checkIsolated() {}
}

extension BindableActor {
  fileprivate func run(_ body: @Sendable () -> Void) {
    body()
  }
}
