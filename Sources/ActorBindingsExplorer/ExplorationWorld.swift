#if Explorer
  public import ActorBindings
  import Foundation

  /// Starts the tasks, makes the delivery contexts and checks the expectations of a program that is explored.
  ///
  /// Each schedule has a world of its own. Child tasks, task groups, tasks that a task of the world starts, actors and
  /// `AsyncStream`s need no world: the explorer controls them too.
  public final class ExplorationWorld: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var unfinished: [Int: String] = [:]
    private var started = 0
    private var names: [String: Int] = [:]
    private var failures: [Trial.Verdict] = []
    private var contexts = 0
    private var checks: [@Sendable () -> Void] = []

    private let grain: ExplorationGrain

    init(grain: ExplorationGrain) {
      self.grain = grain
    }

    /// The name of the current task of the world. Child tasks inherit it.
    @TaskLocal static var taskName: String?

    /// Starts a task of the program.
    ///
    /// The exploration fails if the task does not end.
    ///
    /// - Parameters:
    ///   - name: The name by which messages and timelines call the task. A second task of a name gets a number too.
    ///   - fileID: The file that the timeline of a failure names where the task begins.
    ///   - line: The line that the timeline of a failure names where the task begins.
    ///   - body: What the task does.
    @discardableResult
    public func task(
      _ name: String,
      fileID: String = #fileID,
      line: Int = #line,
      _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
      start(name) {
        Explorer.shared.note("started at \(Self.place(fileID, line))")
        await body()
      }
    }

    /// Starts a task whose place the timeline does not name.
    @discardableResult
    func start(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
      let (id, name) = lock.withLock {
        started += 1
        names[name, default: 0] += 1
        let count = names[name, default: 1]
        let unique = count == 1 ? name : "\(name) (\(count))"
        unfinished[started] = unique
        return (started, unique)
      }
      let task = Explorer.shared.naming(name) {
        Task(executorPreference: Explorer.shared.executor) { [self] in
          await Self.$taskName.withValue(name) { await body() }
          lock.withLock { unfinished[id] = nil }
          Explorer.shared.note("ends")
        }
      }
      // The new task may run at once.
      if grain == .fine { Explorer.shared.pass(at: nil) }
      return task
    }

    /// Makes a delivery context whose jobs run like the blocks of a concurrent Dispatch queue: in any order, and at the
    /// same time. For handlers of cells.
    public func context() -> DeliveryContext {
      context(now: { 0 })
    }

    /// Makes a delivery context.
    ///
    /// - Parameter now: The clock, in nanoseconds, by which lanes end their turns.
    package func context(now: @escaping @Sendable () -> UInt64) -> DeliveryContext {
      let id = lock.withLock {
        contexts += 1
        return contexts
      }
      let executor = Explorer.shared.executor
      return DeliveryContext(id: "\(ObjectIdentifier(self)) \(id)", now: now) { job in
        Explorer.shared.spawn("context \(id)", on: executor, job)
      }
    }

    /// Lets the explorer run another task here.
    ///
    /// The explorer runs other tasks at an `await` that suspends or moves to another actor, at each lock of a cell and of an
    /// ``ExplorableMutex``, and at these points. Use a point before and after a lock or an atomic variable of your own.
    public func point(_ name: String = "point", fileID: String = #fileID, line: Int = #line) {
      Explorer.shared.pass(at: "\(name) at \(Self.place(fileID, line))")
    }

    /// Adds expectations that are checked when no task can run any more.
    public func finally(_ check: @escaping @Sendable () -> Void) {
      lock.withLock { checks.append(check) }
    }

    /// Expects a condition. If it is false, the schedule has failed.
    ///
    /// The program continues, so that its tasks can end. The message names the first expectation that failed.
    public func expect(
      _ condition: Bool,
      _ message: @autoclosure () -> String = "an expectation does not hold",
      fileID: String = #fileID,
      line: Int = #line
    ) {
      if !condition { fail(message(), fileID: fileID, line: line) }
    }

    /// Says that this schedule has failed.
    public func fail(_ message: String, fileID: String = #fileID, line: Int = #line) {
      let place = Self.place(fileID, line)
      Explorer.shared.note("fails at \(place)")
      lock.withLock { failures.append(Trial.Verdict(kind: place, message: "\(message) (\(place))")) }
    }

    private static func place(_ fileID: String, _ line: Int) -> String {
      "\(fileID.split(separator: "/").last ?? ""):\(line)"
    }

    func runFinalChecks() {
      for check in lock.withLock({ checks }) { check() }
    }

    var firstFailure: Trial.Verdict? { lock.withLock { failures.first } }

    var unfinishedTasks: [String] { lock.withLock { unfinished.sorted { $0.key < $1.key }.map(\.value) } }
  }
#endif
