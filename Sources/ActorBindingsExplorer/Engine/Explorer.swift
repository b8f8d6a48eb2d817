#if Explorer
  import ActorBindings
  import CActorBindingsExplorer
  import Dispatch
  import Foundation

  /// Runs a program one strand at a time, and decides at every point which strand continues.
  ///
  /// Every job of the program is a strand: jobs of its tasks, by a task executor and by the runtime's hooks, and jobs of
  /// its delivery contexts. Each strand has a thread, and only the strand that holds the baton runs. A strand reaches a
  /// schedule point at each lock and unlock of the library, where the library or the program marks a point, and before
  /// its task moves to another actor. There the strand may have to pass the baton to another strand. If no strand can run
  /// and the program is not done, that is a deadlock or a lost wake-up, which is detected at once.
  final class Explorer: @unchecked Sendable {
    static let shared: Explorer = {
      let explorer = Explorer()
      SchedulePoint.install(
        ScheduleExplorer(
          controlsThisThread: { Strand.current != nil },
          pass: { explorer.pass(at: nil) },
          willLock: { explorer.willLock($0) },
          didUnlock: { explorer.didUnlock($0) },
          enteredRuntime: { Strand.current?.runtimeDepth += 1 },
          leftRuntime: { Strand.current?.runtimeDepth -= 1 }
        )
      )
      explorer.hasHook = RuntimeHook.install()
      return explorer
    }()

    /// Whether the runtime lets the explorer control jobs.
    static var isAvailable: Bool { shared.hasHook }

    private var hasHook = false

    let lock = NSLock()
    let pool = ThreadPool()
    // Each run has new semaphores, because a wait that only takes what is left of an earlier run would cost a call of the
    // kernel. Guarded by `lock`. Signalled when no strand can run:
    var halted = DispatchSemaphore(value: 0)
    // Signalled when a thread that is no strand adds a strand:
    private var entered = DispatchSemaphore(value: 0)

    // Guarded by `lock`. The strands that have not finished, in the order in which they were spawned.
    var firstStrand: Strand?
    var lastStrand: Strand?
    var spawned = 0
    // The strands that can run, while one of them is chosen.
    var candidates: [Unmanaged<Strand>] = []
    var running: Strand?
    var owners: [UInt: Strand] = [:]
    var strategy: any Strategy = Replay(choices: [])
    var trace: [Choice] = []
    var steps = 0
    private var storedExecutor = StrandExecutor()
    private var uncontrolledCall: String?
    private var entriesFromOutside = 0
    private var codeNames = CodeNames()

    // The number of the run. Strands of an earlier run, which failed, may still exist.
    var number = 0
    private var storedRecording = Recording(isOn: false)

    /// The outcome of a run.
    struct Outcome {
      let trace: [Choice]
      /// Nil if all strands finished; otherwise the strands that could not continue, and why.
      let standstill: Standstill?
      /// Whether a thread that is no strand continued a task.
      let wasEnteredFromOutside: Bool
      /// What the program did that the explorer cannot control, or nil.
      let uncontrolledCall: String?
      /// Why the given choices could not be repeated, or nil.
      let misfit: String?
    }

    /// The kind of a failure in which a thread of the system continues a task.
    static let outside = "continued from outside"

    /// Why strands cannot continue.
    struct Standstill {
      let kind: String
      let text: String
    }

    // The length of a round, in milliseconds.
    static let round = 5
    /// After this number of rounds without a step a strand counts as blocked, even if the system does not report that
    /// its thread sleeps.
    static let blocked = 20
    /// After this number of rounds without a step, while no strand can run, blocked strands count as deadlocked.
    static let patience = 600

    /// More steps than any program here needs: a strand that takes more is in an endless loop.
    static let stepLimit = 100_000

    /// Runs `program` until it ends, or until no strand can run.
    func run(
      with strategy: any Strategy,
      grain: ExplorationGrain,
      recording isOn: Bool,
      _ program: @escaping @Sendable () -> Void
    ) -> Outcome {
      lock.withLock {
        forgetStrands()
        number += 1
        halted = DispatchSemaphore(value: 0)
        entered = DispatchSemaphore(value: 0)
        running = nil
        owners = [:]
        trace = []
        steps = 0
        storedExecutor = StrandExecutor()
        uncontrolledCall = nil
        entriesFromOutside = 0
        storedRecording = Recording(isOn: isOn)
        self.strategy = strategy
      }
      actor_bindings_set_task_switch_hook(
        grain == .fine ? { Explorer.shared.willSwitch(to: $0, on: $1) } : nil
      )
      defer { actor_bindings_set_task_switch_hook(nil) }
      spawn("program", program)
      handOn()
      let standstill = awaitHalt()
      return lock.withLock {
        let misfit = (self.strategy as? Replay)?.misfit
        return Outcome(
          trace: trace,
          standstill: standstill,
          wasEnteredFromOutside: entriesFromOutside > 0,
          uncontrolledCall: uncontrolledCall,
          misfit: misfit
        )
      }
    }

    /// What happened in the last run.
    var recording: Recording { lock.withLock { storedRecording } }

    // MARK: Jobs

    /// Adds a strand for a job of the program under test.
    ///
    /// - Parameters:
    ///   - name: The name of the task or context, or nil for a job of an actor.
    ///   - executor: The executor of the run to which the job belongs; nil for this run. If the run is over, there is no
    ///     strand. Compared under the lock, because the job may come from a thread that is no strand.
    func spawn(_ name: String?, on executor: StrandExecutor? = nil, _ body: @escaping @Sendable () -> Void) {
      lock.withLock {
        if let executor, executor !== storedExecutor { return }
        if let current = Strand.current, current.run != number { return }
        if Strand.current == nil, spawned > 0 {
          entriesFromOutside += 1
          entered.signal()
        }
        let strand = Strand(id: spawned, run: number, name: name, recording: storedRecording, body: body)
        spawned += 1
        if let lastStrand { lastStrand.next = strand } else { firstStrand = strand }
        lastStrand = strand
      }
    }

    /// The executor of this run. Tasks that run on after a failure keep the executor of their run.
    var executor: StrandExecutor { lock.withLock { storedExecutor } }

    /// Adds a strand that runs a job of a task or an actor, unless the job comes from an earlier run.
    func spawn(_ job: UnownedJob, on executor: StrandExecutor) {
      let recording = lock.withLock { executor === storedExecutor ? storedRecording : nil }
      guard let recording else { return }
      let name = recording.name(of: job, from: Strand.current)
      spawn(name, on: executor) { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }

    /// Names the task that `start` makes.
    func naming<Result>(_ name: String, _ start: () -> Result) -> Result {
      let me = Strand.current
      me?.nameOfNextTask = name
      defer { me?.nameOfNextTask = nil }
      return start()
    }

    /// Notes that the program did something that the explorer cannot control.
    func refuse(_ call: String) {
      lock.withLock { if uncontrolledCall == nil { uncontrolledCall = call } }
    }

    /// Returns whether another thread continues a task of the last run within half a second.
    func isEnteredFromOutside() -> Bool {
      lock.withLock { entered }.wait(timeout: .now() + .milliseconds(500)) == .success
    }

    var controlsThisThread: Bool { Strand.current != nil }

    // MARK: Points

    /// Notes what the running strand does, for the timeline.
    func note(_ action: @autoclosure () -> String) {
      if let me = Strand.current { me.recording.note(action(), by: me) }
    }

    // The first of the two words of an executor is its identity.
    private static let mainExecutor = unsafeBitCast(
      MainActor.sharedUnownedExecutor,
      to: (identity: UInt, implementation: UInt).self
    ).identity

    private func willSwitch(to next: UnsafeRawPointer?, on executor: UnsafeRawPointer?) {
      guard let me = Strand.current, me.runtimeDepth == 0 else { return }
      if UInt(bitPattern: executor) == Self.mainExecutor {
        refuse("a task moves to the main actor, which the explorer does not control")
      }
      let name = lock.withLock { codeNames.name(of: next) }
      switch name {
      case .own: return
      case .unknown: pass(at: "moves to another actor or executor")
      case .function(let name): pass(at: "goes on in \(name)")
      }
    }

    /// Lets another strand run.
    ///
    /// - Parameter place: Where the running strand is, for the timeline, or nil if that is of no interest.
    func pass(at place: @autoclosure () -> String?) {
      guard let me = Strand.current, me.runtimeDepth == 0 else { return }
      if me.recording.isOn, let place = place() { note(place) }
      lock.lock()
      parkWhileLocked(ifOfEarlierRun: me)
      steps += 1
      var next: Strand?
      if steps > Self.stepLimit {
        me.status = .circling
        running = nil
        halted.signal()
      } else if running === me {
        next = chosen(from: me)
        if next === me {
          lock.unlock()
          return
        }
      } else {
        // This strand counted as blocked, and has continued.
        me.status = .ready
        if running == nil { next = chosen(from: nil) }
      }
      lock.unlock()
      next.map(run)
      awaitTurn(me)
    }

    func willLock(_ address: UnsafeRawPointer) {
      guard let me = Strand.current else { return }
      let id = UInt(bitPattern: address)
      pass(at: Timeline.takes + me.recording.name(ofLock: id))
      while true {
        lock.lock()
        guard owners[id] != nil else {
          owners[id] = me
          return lock.unlock()
        }
        me.status = .waits(forLock: id)
        me.recording.note("waits for \(me.recording.name(ofLock: id))", by: me)
        // A strand that counted as blocked comes here while another strand runs.
        let next = running === me || running == nil ? chosen(from: nil) : nil
        lock.unlock()
        next.map(run)
        awaitTurn(me)
      }
    }

    func didUnlock(_ address: UnsafeRawPointer) {
      guard let me = Strand.current else { return }
      let id = UInt(bitPattern: address)
      lock.lock()
      parkWhileLocked(ifOfEarlierRun: me)
      owners[id] = nil
      var strand = firstStrand
      while let waiter = strand {
        if case .waits(forLock: id) = waiter.status { waiter.status = .ready }
        strand = waiter.next
      }
      lock.unlock()
      pass(at: Timeline.frees + me.recording.name(ofLock: id))
    }
  }
#endif
