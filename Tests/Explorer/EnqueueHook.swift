#if EXPLORER
  import Foundation

  /// The runtime's hook for jobs of the global pool: jobs that strands enqueue become strands.
  enum EnqueueHook {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    static func install() {
      guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
        preconditionFailure("this runtime has no hook for enqueued jobs")
      }
      let hook: Hook = { job, original in
        guard Explorer.shared.isStrand else { return original(job) }
        Explorer.shared.spawn { job.runSynchronously(on: StrandExecutor.shared.asUnownedTaskExecutor()) }
      }
      symbol.assumingMemoryBound(to: Hook?.self).pointee = hook
    }
  }

  /// A task executor whose jobs are strands.
  final class StrandExecutor: TaskExecutor {
    static let shared = StrandExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      Explorer.shared.spawn { job.runSynchronously(on: StrandExecutor.shared.asUnownedTaskExecutor()) }
    }
  }
#endif
