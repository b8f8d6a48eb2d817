#if EXPLORER
  package import ActorBindings
  import Foundation

  /// The world of a program under test: tasks, delivery contexts, and expectations.
  package final class World: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var unfinished: [Int: String] = [:]
    private var started = 0
    private var failures: [String] = []
    private var contexts = 0
    private var checks: [@Sendable () -> Void] = []

    /// Starts a task of the program.
    @discardableResult
    package func task(_ name: String, _ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
      let id = lock.withLock {
        started += 1
        unfinished[started] = name
        return started
      }
      return Task(executorPreference: StrandExecutor.shared) { [self] in
        await body()
        lock.withLock { unfinished[id] = nil }
      }
    }

    /// Makes a delivery context whose jobs are strands, like the blocks of a concurrent queue.
    ///
    /// - Parameter now: The clock, in nanoseconds, by which lanes end their turns. The default clock stands still.
    package func context(now: @escaping @Sendable () -> UInt64 = { 0 }) -> DeliveryContext {
      let id = lock.withLock {
        contexts += 1
        return contexts
      }
      return DeliveryContext(id: "\(ObjectIdentifier(self)) \(id)", now: now) { job in
        Explorer.shared.spawn(job)
      }
    }

    /// Adds expectations that are checked when no strand can run any more.
    package func finally(_ check: @escaping @Sendable () -> Void) {
      lock.withLock { checks.append(check) }
    }

    func looksBack() {
      for check in lock.withLock({ checks }) { check() }
    }

    package func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
      if !condition { fail(message()) }
    }

    package func fail(_ message: String) {
      lock.withLock { failures.append(message) }
    }

    var firstFailure: String? { lock.withLock { failures.first } }

    var whoIsNotDone: [String] { lock.withLock { unfinished.sorted { $0.key < $1.key }.map(\.value) } }
  }
#endif
