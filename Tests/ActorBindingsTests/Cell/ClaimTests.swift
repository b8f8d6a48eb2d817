import ActorBindings
import Foundation
import Synchronization
import Testing

@Suite
struct ClaimTests {
  @Test
  func `a claim admits its own thread and impatient writers, and no others`() {
    let claim = Claim(maxDeferrals: 3)
    #expect(claim.lets(.claimant(thread: Claim.currentThread())))
    #expect(!claim.lets(.claimant(thread: Claim.currentThread() &+ 1)))
    #expect(claim.lets(.insistent))
    #expect(!claim.lets(.ordinary))
  }

  @Test
  func `a modify claims after several lost races, with more patience each time, and withdraws at the end`() {
    let cell = Cell(0)
    var contention = Contention()
    for _ in 1..<Contention.threshold { cell.noteOutrun(&contention) }
    #expect(!contention.hasClaim)
    #expect(cell.locked { $0.claim == nil })
    cell.noteOutrun(&contention)
    #expect(contention.hasClaim)
    #expect(cell.locked { $0.claim?.lets(contention.writer) } == true)
    let maxDeferrals = cell.locked { $0.claim?.maxDeferrals ?? 0 }
    cell.noteOutrun(&contention)
    #expect(cell.locked { $0.claim?.maxDeferrals ?? 0 } > maxDeferrals)
    cell.endContention(contention)
    #expect(cell.locked { $0.claim == nil })
  }

  @Test
  func `the end of another writer does not withdraw a claim`() {
    let cell = Cell(0)
    withForeignClaim(maxDeferrals: 5) { claim in
      cell.locked { _ = $0.claimed(claim) }
      var contention = Contention()
      for _ in 0...Contention.threshold { cell.noteOutrun(&contention) }
      #expect(!contention.hasClaim)
      cell.endContention(contention)
      #expect(cell.locked { $0.claim?.maxDeferrals } == 5)
    }
  }

  @Test
  func `another thread's claim delays an update, and does not prevent it`() {
    let cell = Cell(0)
    withForeignClaim(maxDeferrals: 1) { claim in
      cell.locked { _ = $0.claimed(claim) }
      #expect(cell.sendHoldingHost(1) == nil)
      #expect(cell.value == 1)
    }
  }

  @Test
  func `a claim that a nested write of the same thread took over is not withdrawn twice`() {
    let cell = Cell(0)
    withForeignClaim(maxDeferrals: 5) { claim in
      var (outer, inner) = (Contention(), Contention())
      for _ in 1...Contention.threshold { cell.noteOutrun(&outer) }
      for _ in 1...Contention.threshold { cell.noteOutrun(&inner) }
      cell.endContention(inner)
      #expect(cell.locked { $0.claim == nil })
      cell.locked { _ = $0.claimed(claim) }
      cell.endContention(outer)
      #expect(cell.locked { $0.claim?.maxDeferrals } == 5)
    }
  }

  @Test
  func `a claim is withdrawn when its write takes effect`() {
    let cell = Cell(0)
    var runs = 0
    cell.modify { value in
      runs += 1
      if runs <= Contention.threshold { cell.send(runs) }
      value += 1
    }
    #expect(runs == Contention.threshold + 1)
    #expect(cell.value == runs)
    #expect(cell.locked { $0.claim == nil })
  }

  @Test(arguments: [false, true])
  func `a claim is withdrawn if its write changes nothing`(isFinished: Bool) {
    let cell = Cell(0)
    var runs = 0
    let wasReplaced = cell.replace { value in
      runs += 1
      if runs <= Contention.threshold {
        cell.send(runs)
      } else {
        #expect(cell.locked { $0.claim != nil })
        cell.finish()
        return isFinished ? value + 1 : nil
      }
      return value + 1
    }
    #expect(!wasReplaced)
    #expect(cell.value == Contention.threshold)
    #expect(cell.locked { $0.claim == nil })
  }

  @Test
  func `a claim is withdrawn if the body throws`() {
    struct Refused: Error {}
    let cell = Cell(0)
    var runs = 0
    #expect(throws: Refused.self) {
      try cell.modify { value throws(Refused) in
        runs += 1
        guard runs <= Contention.threshold else { throw Refused() }
        cell.send(runs)
      }
    }
    #expect(cell.locked { $0.claim == nil })
  }

  @Test
  func `in a finished cell, the body runs on no newer value`() {
    let cell = Cell(0)
    cell.finish()
    var runs = 0
    let wasReplaced = cell.replace { value in
      runs += 1
      return value
    }
    #expect(!wasReplaced)
    #expect(runs == 0)
  }

  @Test
  func `a deferred writer becomes insistent after as many deferrals as the claim allows`() {
    let cell = Cell(0)
    withForeignClaim(maxDeferrals: 5) { claim in
      var contention = Contention()
      let isLet = (0...6).map { _ in
        cell.wait(for: claim, &contention)
        return claim.lets(contention.writer)
      }
      #expect(isLet == [false, false, false, false, false, true, true])
    }
  }

  @Test
  func `a writer that was outrun is patient again`() {
    let cell = Cell(0)
    withForeignClaim(maxDeferrals: 5) { claim in
      var contention = Contention()
      for _ in 0..<3 { cell.wait(for: claim, &contention) }
      cell.noteOutrun(&contention)
      let isLet = (0...5).map { _ in
        cell.wait(for: claim, &contention)
        return claim.lets(contention.writer)
      }
      #expect(isLet == [false, false, false, false, false, true])
    }
  }

  @Test
  func `every write waits for a claim, and takes effect even if the claim is never withdrawn`() {
    let cell = BindableActor(0)
    withForeignClaim(maxDeferrals: 3) { claim in
      cell.cell.locked { _ = $0.claimed(claim) }
      cell.send(1)
      cell.modify { $0 += 1 }
      #expect(cell.compareAndSet(2, 3))
      #expect(cell.sendIfChanged(4))
      #expect(cell.value == 4)
      #expect(cell.version == 4)
    }
  }

  @Test
  func `a body that writes to its own cell traps`() async {
    await #expect(processExitsWith: .failure) {
      let cell = BindableActor(0)
      cell.modify { _ in cell.send(1) }
    }
  }

  /// Runs `body` while another thread has a claim.
  private func withForeignClaim(maxDeferrals: Int, _ body: (Claim) -> Void) {
    let claim = Mutex<Claim?>(nil)
    let (isMade, isDone) = (Latch(), Latch())
    Thread {
      claim.withLock { $0 = Claim(maxDeferrals: Int32(maxDeferrals)) }
      isMade.open()
      isDone.wait()
    }.start()
    isMade.wait()
    claim.withLock(\.self).map(body)
    isDone.open()
  }
}
