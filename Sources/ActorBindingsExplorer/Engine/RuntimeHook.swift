#if Explorer
  #if compiler(>=6.3) && compiler(<6.4)
    @_spi(ExperimentalScheduling) import _Concurrency
  #endif
  import Foundation

  /// The runtime's hook, by which jobs that strands enqueue become strands.
  enum RuntimeHook {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void

    /// Installs the hook. Returns whether the runtime has one.
    static func install() -> Bool {
      let hook: EnqueueHook = { job, original in
        guard Explorer.shared.controlsThisThread else { return original(job) }
        Explorer.shared.spawn(job, on: Explorer.shared.executor)
      }
      return set("swift_task_enqueueGlobal_hook", to: hook as EnqueueHook?)
    }

    private static func set<Hook>(_ name: String, to hook: Hook?) -> Bool {
      guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), name) else { return false }
      symbol.assumingMemoryBound(to: Hook?.self).pointee = hook
      return true
    }
  }

  extension UnownedJob {
    /// Whether this is the job of a task, and not one of an actor. A task has a number.
    var isTask: Bool { "\(self)".contains(where: \.isNumber) }
  }

  /// A task executor whose jobs are strands of one run.
  final class StrandExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      Explorer.shared.spawn(UnownedJob(job), on: self)
    }
  }

  // With this protocol an executor learns that a task sleeps. It is not public yet, and its form may change.
  #if compiler(>=6.3) && compiler(<6.4)
    @available(macOS 26.4, iOS 26.4, watchOS 26.4, tvOS 26.4, visionOS 26.4, *)
    extension StrandExecutor: SchedulingExecutor {
      func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
      ) {
        sleeps(job)
      }

      func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
      ) {
        sleeps(job)
      }

      // Fails the schedule, and lets the task continue, so that the program can end.
      private func sleeps(_ job: consuming ExecutorJob) {
        Explorer.shared.refuse(
          "a task sleeps by a clock of the system, which the explorer does not control: pass it a clock of the test"
        )
        enqueue(job)
      }
    }
  #endif
#endif
