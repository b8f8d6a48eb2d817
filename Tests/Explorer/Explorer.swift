#if EXPLORER
  import ActorBindings
  import Dispatch
  import Foundation

  /// Runs a program one strand at a time, and decides at every point which one.
  ///
  /// Every job of the program is a strand: jobs of its tasks, by a task executor and by the runtime's enqueue
  /// hook, and jobs of its delivery contexts. A strand has a thread; only the one that holds the baton runs. It
  /// comes to a point at each lock and unlock of the library and where the library marks one, and may have to
  /// hand the baton on there. If nobody can run and the program is not done, that is a deadlock or a lost
  /// wake-up, known at once.
  final class Explorer: ScheduleExplorer, @unchecked Sendable {
    static let shared: Explorer = {
      let explorer = Explorer()
      SchedulePoint.explorer = explorer
      EnqueueHook.install()
      return explorer
    }()

    private let lock = NSLock()
    private let pool = ThreadPool()
    private let halted = DispatchSemaphore(value: 0)

    // Guarded by `lock`.
    private var strands: [Strand] = []
    private var running: Strand?
    private var owners: [UInt: Strand] = [:]
    private var strategy: any Strategy = Replay(choices: [])
    private var trace: [Choice] = []
    private var steps = 0

    /// What a run came to.
    struct Outcome {
      let trace: [Choice]
      let steps: Int
      /// Nil if everybody finished; otherwise who could not go on, and why.
      let standstill: String?
      /// What was wrong with the choices that were to be taken again.
      let misfit: String?
    }

    /// More steps than any program here needs: it goes round in circles.
    private static let limit = 100_000

    /// Runs `program` to its end, or to a standstill.
    func run(with strategy: any Strategy, _ program: @escaping @Sendable () -> Void) -> Outcome {
      lock.withLock {
        strands = []
        owners = [:]
        trace = []
        steps = 0
        self.strategy = strategy
      }
      spawn(program)
      while halted.wait(timeout: .now()) == .success {}
      lock.withLock { _ = handOn(from: nil) }
      let standstill = awaitHalt()
      return lock.withLock {
        let misfit = (self.strategy as? Replay)?.misfit
        return Outcome(trace: trace, steps: steps, standstill: standstill, misfit: misfit)
      }
    }

    /// A job of the program under test.
    func spawn(_ body: @escaping @Sendable () -> Void) {
      lock.withLock { strands.append(Strand(id: strands.count, body: body)) }
    }

    var isStrand: Bool { Strand.current != nil }

    // MARK: Points

    func pass() {
      guard let me = Strand.current, me.runtimeDepth == 0 else { return }
      let mustWait = lock.withLock {
        steps += 1
        if steps > Self.limit {
          me.status = .circling
          running = nil
          halted.signal()
          return true
        }
        if running !== me {
          // It was taken for blocked, and has come back.
          me.status = .ready
          if running == nil { handOn(from: nil) }
          return true
        }
        return handOn(from: me)
      }
      if mustWait { me.awaitBaton() }
    }

    func willLock(_ address: UnsafeRawPointer) {
      guard let me = Strand.current else { return }
      pass()
      let id = UInt(bitPattern: address)
      while true {
        let isMine = lock.withLock {
          if let owner = owners[id], owner !== me {
            me.status = .waits(forLock: id)
            handOn(from: nil)
            return false
          }
          owners[id] = me
          return true
        }
        if isMine { return }
        me.awaitBaton()
      }
    }

    func didUnlock(_ address: UnsafeRawPointer) {
      guard Strand.current != nil else { return }
      let id = UInt(bitPattern: address)
      lock.withLock {
        owners[id] = nil
        for strand in strands where strand.status == .waits(forLock: id) { strand.status = .ready }
      }
      pass()
    }

    func enteredRuntime() {
      Strand.current?.runtimeDepth += 1
    }

    func leftRuntime() {
      Strand.current?.runtimeDepth -= 1
    }

    // MARK: The baton

    // Under the lock. Lets somebody run on; true if that is somebody else than `me`, who can run too.
    @discardableResult
    private func handOn(from me: Strand?) -> Bool {
      let others = strands.filter { $0.status == .ready }
      let candidates = (me.map { [$0] } ?? []) + others
      guard let first = candidates.first else {
        running = nil
        halted.signal()
        return false
      }
      let chosen = candidates.count > 1 ? choose(among: candidates, isPreemptible: me != nil) : first
      if chosen === me { return false }
      me?.status = .ready
      chosen.status = .running
      running = chosen
      if chosen.hasStarted {
        chosen.takeBaton()
      } else {
        chosen.hasStarted = true
        pool.run { [self] in
          Strand.current = chosen
          chosen.body()
          Strand.current = nil
          finished(chosen)
        }
      }
      return true
    }

    private func choose(among candidates: [Strand], isPreemptible: Bool) -> Strand {
      let index = strategy.choose(among: candidates.map(\.id), isPreemptible: isPreemptible)
      trace.append(Choice(options: candidates.count, taken: index, isPreemptible: isPreemptible))
      return candidates[index]
    }

    private func finished(_ strand: Strand) {
      lock.withLock {
        strand.status = .finished
        steps += 1
        if running === strand || running == nil { handOn(from: nil) }
      }
    }

    // Returns when nobody can run any more. A strand that makes no step for long is blocked inside the runtime:
    // somebody else must run then. It may come back; so it is waited for, before it is taken for deadlocked.
    private func awaitHalt() -> String? {
      var lastSteps = -1
      var quietRounds = 0
      while true {
        _ = halted.wait(timeout: .now() + .milliseconds(100))
        let verdict: String?? = lock.withLock {
          quietRounds = steps == lastSteps ? quietRounds + 1 : 0
          lastSteps = steps
          if running == nil {
            let mayComeBack = strands.contains { $0.status == .stuck }
            return mayComeBack && quietRounds < 30 ? nil : .some(standstill)
          }
          if quietRounds > 0, let blocked = running {
            blocked.status = .stuck
            running = nil
            handOn(from: nil)
          }
          return nil
        }
        if let verdict { return verdict }
      }
    }

    private var standstill: String? {
      let waiting = strands.filter { $0.status != .finished }
      if waiting.isEmpty { return nil }
      return waiting.map { strand in
        switch strand.status {
        case .waits(let id):
          "strand \(strand.id) waits for a lock that strand \(owners[id].map { "\($0.id)" } ?? "?") holds"
        case .circling: "strand \(strand.id) goes round in circles"
        case .stuck: "strand \(strand.id) is blocked inside the runtime"
        default: "strand \(strand.id) is \(strand.status)"
        }
      }.joined(separator: "; ")
    }
  }
#endif
