#if Explorer
  import Dispatch
  import Foundation

  /// Which strand runs.
  extension Explorer {
    // Passes the baton to the next strand. Releases the lock before it wakes that strand, which would otherwise have to
    // wait for the lock at once.
    func handOn() {
      lock.lock()
      let next = chosen(from: nil)
      lock.unlock()
      next.map(run)
    }

    // Called with the lock held. Returns the strand that continues, which has the baton from now on; `run` it after the
    // lock. Returns nil if no strand can run. `me` is the running strand, if it can continue.
    func chosen(from me: Strand?) -> Strand? {
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

    // Called with the lock held. A strand of an earlier run waits here for ever: it must not change this run.
    func parkWhileLocked(ifOfEarlierRun strand: Strand) {
      guard strand.run != number else { return }
      lock.unlock()
      while true { strand.awaitBaton() }
    }

    // Called without the lock.
    func run(_ strand: Strand) {
      if strand.hasStarted { return strand.takeBaton() }
      strand.hasStarted = true
      pool.run { [self] thread in
        Strand.current = strand
        lock.withLock { strand.thread = thread }
        awaitTurn(strand, hasBaton: true)
        note(Timeline.runs)
        strand.body()
        Strand.current = nil
        finished(strand)
      }
    }

    // Waits until this strand has the baton. A strand that wakes late may have counted as blocked: then another strand
    // runs, and the late strand waits again.
    func awaitTurn(_ me: Strand, hasBaton: Bool = false) {
      var hasBaton = hasBaton
      while true {
        if !hasBaton { me.awaitBaton() }
        hasBaton = false
        lock.lock()
        parkWhileLocked(ifOfEarlierRun: me)
        if running === me { return lock.unlock() }
        me.status = .ready
        let next = running == nil ? chosen(from: nil) : nil
        lock.unlock()
        next.map(run)
      }
    }

    private func finished(_ strand: Strand) {
      lock.lock()
      if strand.run != number { return lock.unlock() }
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
    func forgetStrands() {
      while let strand = firstStrand { (firstStrand, strand.next) = (strand.next, nil) }
      lastStrand = nil
      spawned = 0
    }

    // Returns when no strand can run any more. A strand that makes no step, and whose thread sleeps, is blocked inside
    // the runtime, so another strand must run. The blocked strand may continue later, so the explorer waits for a while
    // before the strand counts as deadlocked.
    func awaitHalt() -> Standstill? {
      let halted = lock.withLock { self.halted }
      var lastSteps = -1
      var quietRounds = 0
      while true {
        _ = halted.wait(timeout: .now() + .milliseconds(Self.round))
        var next: Strand?
        let verdict: Standstill?? = lock.withLock {
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

    // Called with the lock held, when no strand runs.
    private var standstill: Standstill? {
      let waiting = unfinished
      if waiting.isEmpty { return nil }
      func text(_ strand: Strand) -> String {
        let subject = strand.name ?? Timeline.actorJob
        return switch strand.status {
        case .waits(let id):
          if let owner = owners[id] {
            "\(subject) waits for \(strand.recording.name(ofLock: id)), which \(owner.name ?? Timeline.actorJob) has"
          } else {
            "\(subject) waits for \(strand.recording.name(ofLock: id))"
          }
        case .circling: "\(subject) runs on after \(Self.stepLimit) steps of the program"
        case .stuck:
          "\(subject) computes, or waits for something that the explorer does not control: a semaphore, a system lock, or input"
        case .ready: "a thread that the explorer does not control continues \(subject)"
        case .running, .finished: "\(subject) is \(strand.status)"
        }
      }
      // The first of these that a strand is in is the cause.
      let causes: [(kind: String, strands: [Strand])] = [
        ("endless loop", waiting.filter { if case .circling = $0.status { true } else { false } }),
        ("blocked outside", waiting.filter { if case .stuck = $0.status { true } else { false } }),
        ("deadlock", waiting.filter { if case .waits = $0.status { true } else { false } }),
        (Self.outside, waiting),
      ]
      guard let cause = causes.first(where: { !$0.strands.isEmpty }) else { return nil }
      return Standstill(kind: cause.kind, text: cause.strands.map(text).joined(separator: "; "))
    }
  }
#endif
