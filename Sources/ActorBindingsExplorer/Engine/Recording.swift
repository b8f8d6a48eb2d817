#if Explorer
  import Foundation

  /// The names of what takes part in one run, and what happened, if that is recorded.
  final class Recording: @unchecked Sendable {
    /// Whether what happens is recorded. Names of locks and functions cost time, so other runs do without.
    let isOn: Bool

    private let lock = NSLock()
    // Guarded by `lock`.
    private var events = Timeline()
    // The names of tasks, by their jobs.
    private var tasks: [UInt: String] = [:]
    // The names of locks, by their addresses, in the order of their first use.
    private var locks: [UInt: String] = [:]

    init(isOn: Bool) {
      self.isOn = isOn
    }

    /// What happened so far.
    var timeline: Timeline { lock.withLock { events } }

    /// Notes what a strand does.
    func note(_ action: @autoclosure () -> String, by strand: Strand) {
      guard isOn else { return }
      let moment = Timeline.Moment(subject: Self.subject(of: strand), action: action())
      lock.withLock { events.add(moment) }
    }

    /// Returns the name of the task with a job at an address, or nil for a job of an actor.
    ///
    /// - Parameter creator: The strand that runs, which may have made the task.
    func name(of job: UnownedJob, from creator: Strand?) -> String? {
      // The address of a job that has ended may be that of a new one. So a recording uses the number of the task, which takes
      // longer.
      let key = isOn ? UInt(bitPattern: "\(job)".hashValue) : unsafeBitCast(job, to: UInt.self)
      return lock.withLock {
        if let name = creator?.nameOfNextTask {
          tasks[key] = name
        } else if isOn, tasks[key] == nil, let creator, job.isTask {
          tasks[key] = "task \(tasks.count) from \(Self.subject(of: creator))"
        }
        return tasks[key]
      }
    }

    func name(ofLock address: UInt) -> String {
      lock.withLock {
        if let known = locks[address] { return known }
        let new = "lock \(locks.count + 1)"
        locks[address] = new
        return new
      }
    }

    // The task or context that a strand belongs to. The job of an actor runs several tasks.
    private static func subject(of strand: Strand) -> String {
      strand.name ?? ExplorationWorld.taskName ?? Timeline.actorJob
    }
  }
#endif
