#if EXPLORER
  import ActorBindings
  import Dispatch
  import Foundation

  /// Runs a program one strand at a time, and decides at every point which strand continues.
  ///
  /// Every job of the program is a strand: jobs of its tasks, by a task executor and by the runtime's enqueue hook, and
  /// jobs of its delivery contexts. Each strand has a thread, and only the strand that holds the baton runs. A strand
  /// reaches a schedule point at each lock and unlock of the library, and where the library marks a point. There the
  /// strand may have to pass the baton to another strand. If no strand can run and the program is not done, that is a
  /// deadlock or a lost wake-up, which is detected at once.
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

    // Guarded by `lock`. The strands that have not finished, in the order in which they were spawned.
    private var firstStrand: Strand?
    private var lastStrand: Strand?
    private var spawned = 0
    // The strands that can run, while one of them is chosen.
    private var candidates: [Unmanaged<Strand>] = []
    private var running: Strand?
    private var owners: [UInt: Strand] = [:]
    private var strategy: any Strategy = Replay(choices: [])
    private var trace: [Choice] = []
    private var steps = 0

    /// The outcome of a run.
    struct Outcome {
      let trace: [Choice]
      let steps: Int
      /// Nil if all strands finished; otherwise the strands that could not continue, and why.
      let standstill: String?
      /// Why the given choices could not be repeated, or nil.
      let misfit: String?
    }

    // The length of a round, in milliseconds.
    private static let round = 5
    /// After this number of rounds without a step a strand counts as blocked, even if the system does not report that
    /// its thread sleeps.
    private static let blocked = 20
    /// After this number of rounds without a step, while no strand can run, blocked strands count as deadlocked.
    private static let patience = 600

    /// More steps than any program here needs: a strand that takes more is in an endless loop.
    private static let limit = 100_000

    /// Runs `program` until it ends, or until no strand can run.
    func run(with strategy: any Strategy, _ program: @escaping @Sendable () -> Void) -> Outcome {
      lock.withLock {
        forgetStrands()
        owners = [:]
        trace = []
        steps = 0
        self.strategy = strategy
      }
      spawn(program)
      while halted.wait(timeout: .now()) == .success {}
      handOn()
      let standstill = awaitHalt()
      return lock.withLock {
        let misfit = (self.strategy as? Replay)?.misfit
        return Outcome(trace: trace, steps: steps, standstill: standstill, misfit: misfit)
      }
    }

    /// Adds a strand for a job of the program under test.
    func spawn(_ body: @escaping @Sendable () -> Void) {
      lock.withLock {
        let strand = Strand(id: spawned, body: body)
        spawned += 1
        if let lastStrand { lastStrand.next = strand } else { firstStrand = strand }
        lastStrand = strand
      }
    }

    var isStrand: Bool { Strand.current != nil }

    // MARK: Points

    func pass() {
      guard let me = Strand.current, me.runtimeDepth == 0 else { return }
      lock.lock()
      steps += 1
      var next: Strand?
      if steps > Self.limit {
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
      pass()
      let id = UInt(bitPattern: address)
      while true {
        lock.lock()
        guard let owner = owners[id], owner !== me else {
          owners[id] = me
          return lock.unlock()
        }
        me.status = .waits(forLock: id)
        // A strand that counted as blocked comes here while another strand runs.
        let next = running === me || running == nil ? chosen(from: nil) : nil
        lock.unlock()
        next.map(run)
        awaitTurn(me)
      }
    }

    func didUnlock(_ address: UnsafeRawPointer) {
      guard Strand.current != nil else { return }
      let id = UInt(bitPattern: address)
      lock.lock()
      owners[id] = nil
      var strand = firstStrand
      while let waiter = strand {
        if case .waits(forLock: id) = waiter.status { waiter.status = .ready }
        strand = waiter.next
      }
      lock.unlock()
      pass()
    }

    func enteredRuntime() {
      Strand.current?.runtimeDepth += 1
    }

    func leftRuntime() {
      Strand.current?.runtimeDepth -= 1
    }

    // MARK: The baton

    // Passes the baton to the next strand. Releases the lock before it wakes that strand, which would otherwise have to
    // wait for the lock at once.
    private func handOn() {
      lock.lock()
      let next = chosen(from: nil)
      lock.unlock()
      next.map(run)
    }

    // Called with the lock held. Returns the strand that continues, which has the baton from now on; `run` it after the
    // lock. Returns nil if no strand can run. `me` is the running strand, if it can continue.
    private func chosen(from me: Strand?) -> Strand? {
      candidates.removeAll(keepingCapacity: true)
      if let me { candidates.append(.passUnretained(me)) }
      var strand = firstStrand
      while let candidate = strand {
        if candidate.isReady { candidates.append(.passUnretained(candidate)) }
        strand = candidate.next
      }
      let count = candidates.count
      if count == 0 {
        running = nil
        halted.signal()
        return nil
      }
      var index = 0
      if count > 1 {
        index = strategy.choose(among: count, isPreemptible: me != nil) {
          candidates[$0].takeUnretainedValue().id
        }
        trace.append(Choice(options: count, taken: index, isPreemptible: me != nil))
      }
      let chosen = candidates[index].takeUnretainedValue()
      if chosen !== me {
        me?.status = .ready
        chosen.status = .running
        running = chosen
      }
      return chosen
    }

    // Called without the lock.
    private func run(_ strand: Strand) {
      if strand.hasStarted { return strand.takeBaton() }
      strand.hasStarted = true
      pool.run { [self] thread in
        Strand.current = strand
        lock.withLock { strand.thread = thread }
        awaitTurn(strand, hasBaton: true)
        strand.body()
        Strand.current = nil
        finished(strand)
      }
    }

    // Waits until this strand has the baton. A strand that wakes late may have counted as blocked: then another strand
    // runs, and the late strand waits again.
    private func awaitTurn(_ me: Strand, hasBaton: Bool = false) {
      var hasBaton = hasBaton
      while true {
        if !hasBaton { me.awaitBaton() }
        hasBaton = false
        lock.lock()
        if running === me { return lock.unlock() }
        me.status = .ready
        let next = running == nil ? chosen(from: nil) : nil
        lock.unlock()
        next.map(run)
      }
    }

    private func finished(_ strand: Strand) {
      lock.lock()
      strand.status = .finished
      unlink(strand)
      steps += 1
      let isNextDue = running === strand || running == nil
      let next = isNextDue ? chosen(from: nil) : nil
      lock.unlock()
      next.map(run)
    }

    // Called with the lock held.
    private func unlink(_ strand: Strand) {
      var previous: Strand?
      var place = firstStrand
      while let other = place, other !== strand { (previous, place) = (other, other.next) }
      if let previous { previous.next = strand.next } else { firstStrand = strand.next }
      if lastStrand === strand { lastStrand = previous }
      strand.next = nil
    }

    // Called with the lock held.
    private func forgetStrands() {
      while let strand = firstStrand { (firstStrand, strand.next) = (strand.next, nil) }
      lastStrand = nil
      spawned = 0
    }

    // Returns when no strand can run any more. A strand that makes no step, and whose thread sleeps, is blocked inside
    // the runtime, so another strand must run. The blocked strand may continue later, so the explorer waits for a while
    // before the strand counts as deadlocked.
    private func awaitHalt() -> String? {
      var lastSteps = -1
      var quietRounds = 0
      while true {
        _ = halted.wait(timeout: .now() + .milliseconds(Self.round))
        var next: Strand?
        let verdict: String?? = lock.withLock {
          quietRounds = steps == lastSteps ? quietRounds + 1 : 0
          lastSteps = steps
          if running == nil {
            let mayComeBack = unfinished.contains { if case .stuck = $0.status { true } else { false } }
            return mayComeBack && quietRounds < Self.patience ? nil : .some(standstill)
          }
          if quietRounds > 1, let blocked = running,
            quietRounds >= Self.blocked || blocked.thread?.sleeps == true
          {
            blocked.status = .stuck
            running = nil
            next = chosen(from: nil)
          }
          return nil
        }
        next.map(run)
        if let verdict { return verdict }
      }
    }

    private var unfinished: [Strand] {
      Array(sequence(first: firstStrand, next: { $0?.next }).compactMap { $0 })
    }

    private var standstill: String? {
      let waiting = unfinished
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
