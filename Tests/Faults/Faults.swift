extension Fault {
  static let all =
    cell + delivery + streams + combining + controlled + binding + relays + collections + loading

  private static let cell = [
    Fault(
      "lost-update",
      breaks: "G1: a modify publishes a draft of an outdated version",
      Edit(in: "drafted", replace: "draft.version == roster.version", by: "draft.version <= roster.version")
    ),
    Fault(
      "outdated-result",
      breaks: "G1: a modify returns the result of an outdated draft if the cell finishes meanwhile",
      Edit(
        in: "drafted",
        replace: "guard draft.version",
        by: "if roster.isFinished { return .published(.ignored) }; guard draft.version"
      )
    ),
    Fault(
      "version-after-the-lock",
      breaks: "G2: the value is changed in one step, its version in another",
      Edit(
        in: "send",
        replace: "var value = new switch",
        by: "var value = new; locked { [value] state, _ in state.value = value }; switch"
      )
    ),
    Fault(
      "watermark-too-early",
      breaks: "G4: the watermark is published before the cell has changed",
      Edit(
        in: "written",
        replace: "defer { publishWhileLocked(roster.watermark) }",
        by: "publishWhileLocked(.init(version: roster.version &+ 1, isFinished: roster.isFinished))"
      )
    ),
    Fault(
      "skipped-off-by-one",
      breaks: "G5: an examined version counts as skipped",
      Edit(in: "advance", replace: "version &- seen &- 1", by: "version &- seen")
    ),
    Fault(
      "resume-under-the-lock",
      breaks: "G10: a task is resumed while the lock is held, which its cancellation handler takes too",
      Edit(
        in: "send",
        replace: """
          switch written({ … }) {
          case .published(let woken, _): woken.wake()
          case .ignored: break
          case .deferred(let claim): sendAfterDeferral(value, after: claim)
          }
          """,
        by: """
          let outcome = written { state, roster in
            let outcome = state.sent(&value, &roster)
            if case .published(let woken, _) = outcome { woken.wake() }
            return outcome
          }
          if case .deferred(let claim) = outcome { sendAfterDeferral(value, after: claim) }
          """
      )
    ),
    Fault(
      "lost-finish",
      breaks: "G11: the end wakes no parked reader",
      Edit(in: "finished", replace: "let woken = idle.takeAll()", by: "let woken = Woken(first: nil)")
    ),
    Fault(
      "left-while-it-ends",
      breaks: "G11: the end of a cell reaches all that wait for it, even while some of them leave",
      Edit(
        in: "endWaiterLeft",
        replace: "if isFinished { return false } let (next, previous)",
        by: "let (next, previous)"
      )
    ),
    Fault(
      "departed-readers-stay",
      breaks: "G14: the last reader of a value does not take along the readers that have left there",
      Edit(in: "passed", replace: "weight &+= count.departed", by: "")
    ),
    Fault(
      "departure-forgets-new-values",
      breaks: "G14: a reader that has left no longer counts, though values sent meanwhile count it",
      Edit(in: "departedReadersArrived", replace: "if version != end { return version }", by: "")
    ),
    Fault(
      "taken-without-a-claim",
      breaks: "G6: the last reader takes the newest value while another reader joins there",
      Edit(in: "take", replace: "!isNewest || claimed(version, weight)", by: "true")
    ),
  ]

  private static let delivery = [
    Fault(
      "parked-too-early",
      breaks: "G3: a lane parks even if an update came during its last pass",
      Edit(
        in: "areAllDue",
        replace:
          "roster.version != delivered || roster.isFinished != hasDeliveredEnd || hasLaggards || isSweepDue",
        by: "hasLaggards || isSweepDue || (!isRunning && roster.version != delivered)"
      )
    ),
    Fault(
      "snapshot-and-registration-apart",
      breaks: "G6: registering reads the value in one step, and takes its position in another",
      Edit(
        in: "startOnCaller",
        replace: "let entry = read(",
        by: "locked { fillWhileLocked(pass, $0) }; let entry = read("
      ),
      Edit(in: "enterOnCallerWhileLocked", replace: "fillWhileLocked(pass, roster)", by: "")
    ),
    Fault(
      "two-turns-at-once",
      breaks: "G7: a lane counts as idle while it continues",
      Edit(
        in: "passEnded",
        replace: "if hasWork(roster), mayGoOn { … } isRunning = false",
        by: "isRunning = false; if hasWork(roster), mayGoOn { … }"
      )
    ),
    Fault(
      "contended-turn-ends-silently",
      breaks: "G3: a turn that has parked its lane ends without the lock, although a write came meanwhile",
      Edit(
        in: "endedUncontended",
        replace: "return state.compareExchange(…).exchanged",
        by: "return state.exchange(.none, ordering: .acquiringAndReleasing) != .none"
      )
    ),
    Fault(
      "combination-parks-early-without-a-look",
      breaks: "G3: a turn parks the lane of a combination, though no writer of its cells will wake the lane",
      Edit(
        in: "parkEarlyWhileLocked",
        replace: "upstream.isPulled, !upstream.mayParkWhileLocked()",
        by: "upstream.isPulled, !upstream.isJoint, !upstream.mayParkWhileLocked()"
      )
    ),
    Fault(
      "key-parks-early-without-a-look",
      breaks: "G3: a turn parks the lane of a watched key, though no writer will wake the lane",
      Edit(
        in: "parkEarlyWhileLocked",
        replace: "upstream.isPulled, !upstream.mayParkWhileLocked()",
        by: "upstream.isPulled, upstream.isJoint, !upstream.mayParkWhileLocked()"
      )
    ),
    Fault(
      "early-parked-turn-unseen",
      breaks:
        "G13: a cancellation during a turn that has parked its lane unlinks what the turn visits",
      Edit(
        in: "isRunningWhileLocked",
        replace: "if !state.isRunning, earlyParking.contended() { state.turnContended() } return",
        by: "return"
      )
    ),
    Fault(
      "check-then-call",
      breaks: "G8: cancellation is checked once for a visit, not before each call",
      Edit(
        in: "deliver",
        replace: "{ guard isActive else { return .caughtUp(calls: calls) } switch",
        by: "{ switch"
      ),
      Edit(
        in: "deliver",
        replace: "case .element(let element, _): guard isActive else { return .caughtUp(calls: calls) }",
        by: "case .element(let element, _):"
      ),
      Edit(
        in: "deliver",
        replace: "var wasRejected = false",
        by: "var wasRejected = false; guard isActive else { return .caughtUp(calls: 0) }"
      )
    ),
    Fault(
      "cancel-does-not-wait",
      breaks: "G8: cancelAndWait returns while the call is running",
      Edit(
        in: "awaitsRemoval",
        replace: "extend().resumptions.append(resumption) return lane",
        by: "return nil"
      )
    ),
    Fault(
      "captures-outlive-the-wait",
      breaks: "G13: cancelAndWait returns before the handler's captures are released",
      Edit(
        in: "finishRemoval",
        replace: "_ = perform(self, .release) let registration",
        by: "defer { _ = perform(self, .release) }; let registration"
      )
    ),
    Fault(
      "interrupted-pass-is-forgotten",
      breaks: "G3: observations that a turn had no time for are not visited in the next turn",
      Edit(
        in: "passEnded",
        replace: "interruption = result.rest.map { Interruption(rest: $0, completed: all) }",
        by: "interruption = nil"
      )
    ),
    Fault(
      "dead-owner-stays",
      breaks: "G9: an observation with a dead owner is not ended",
      Edit(
        in: "deliver",
        replace: "deliver(element) else { return … } case .rejected",
        by: "deliver(element) else { return .caughtUp(calls: calls) } case .rejected"
      )
    ),
    Fault(
      "owner-kept",
      breaks: "G9: an observation holds its owner",
      Edit(
        in: "init",
        replace: "self.owner = owner self.handler = handler",
        by: "_ = Unmanaged.passRetained(owner); self.owner = owner; self.handler = handler"
      )
    ),
    Fault(
      "settled-too-early",
      breaks: "settled() forgets observations that have not had their first call",
      Edit(
        in: "settledCallJoined",
        replace: "awaitsNextPass: hasNewcomers",
        by: "awaitsNextPass: false"
      )
    ),
    Fault(
      "settled-forgets-upstream",
      breaks: "settled() of a derived source returns while a value is still on its way there",
      Edit(in: "arrived", replace: "1...2", by: "1..<1")
    ),
    Fault(
      "switch-ignores-its-outer-source",
      breaks: "G2: a value that was written to the old inner source after the switch is delivered",
      Edit(in: "innerDelivered", replace: "if state.isQuiet, outerIsRead", by: "if state.isQuiet")
    ),
    Fault(
      "switch-drops-what-came-before",
      breaks: "G4: a value that was written to the old inner source before the switch is lost",
      Edit(in: "isEarlier", replace: "return instant < limit", by: "return false")
    ),
    Fault(
      "merge-reads-on",
      breaks: "G2: a switch delivers an element of a merge at the instant of an earlier update",
      Edit(
        in: "next",
        replace: "return pullShown() ?? .rejected(base.takeStamp(isInitial: update.isInitial))",
        by: "_ = update; return pullShown() ?? next(in: pass)"
      )
    ),
    Fault(
      "switch-forgets-what-a-combination-shows",
      breaks:
        "G4: a value that a combination showed before the switch is lost, because its reader had not looked",
      Edit(
        in: "oldInnerIsRead",
        replace: "guard let inner, !state.innerHasEnded, state.limit != nil else",
        by: "guard let inner, !state.innerHasEnded, state.limit != nil, inner.source.upstream == nil else"
      )
    ),
    Fault(
      "switch-delivers-its-own-instant",
      breaks: "G2: a value that the transaction of a switch wrote to the old inner source is delivered",
      Edit(in: "isEarlier", replace: "return instant < limit", by: "return instant <= limit")
    ),
    Fault(
      "settled-forgets-the-second-reader",
      breaks: "settled() of a switch returns before the reader of the new inner source has delivered",
      Edit(in: "arrived", replace: "1...2", by: "1...1")
    ),
  ]

  private static let streams = [
    Fault(
      "chunk-restarts-too-early",
      breaks: "G4: the last chunk of a log restarts though a reader has not passed its slots",
      Edit(
        in: "restartedWhileLocked",
        replace:
          "for index in 0..<capacity where unsafe headers[index].count.load(ordering: .acquiring) != 0 { return false }",
        by:
          "for index in 0..<capacity where unsafe headers[index].count.load(ordering: .acquiring) == .max { return false }"
      )
    ),
    Fault(
      "claimed-slot-counts-as-empty",
      breaks: "G4: a writer uses a slot again while its only reader takes the value out",
      Edit(in: "claimed", replace: "SlotCount.claimed.rawValue", by: "SlotCount.empty.rawValue")
    ),
    Fault(
      "no-second-look-before-parking",
      breaks: "G3: a loop parks without a last check under the same lock",
      Edit(
        in: "parkWhileLocked",
        replace: "guard !isCancelled, roster.isIdle(at: version) else",
        by: "guard !isCancelled else"
      )
    ),
    Fault(
      "reserved-position-given-twice",
      breaks: "G6: a second iterator begins at the reserved position too",
      Edit(in: "takeWhileLocked", replace: "position.take()", by: "position")
    ),
    Fault(
      "forgotten-tombstone",
      breaks: "G12: parking does not see an earlier cancellation",
      Edit(
        in: "parkWhileLocked",
        replace: "guard !isCancelled, roster.isIdle(at: version) else",
        by: "guard roster.isIdle(at: version) else"
      )
    ),
    Fault(
      "woken-twice",
      breaks: "G12: a loop that a writer took out of the list is woken again by its cancellation",
      Edit(
        in: "cancelWhileLocked",
        replace: "return roster.unparked(self)",
        by: "_ = roster.unparked(self); return resumption != nil"
      ),
      Edit(in: "wake", replace: "resumption.take()?.resume()", by: "resumption?.resume()")
    ),
  ]

  private static let combining = [
    Fault(
      "no-input-waiter-is-parked",
      breaks: "G3: a reader that finds nothing new in its cells parks no waiter there",
      Edit(in: "looked", replace: "!isNew || follower.isEager", by: "isNew || follower.isEager")
    ),
    Fault(
      "look-at-a-running-delivery",
      breaks: "a look at a cell reads the position of an observation whose handler runs",
      Edit(in: "descriptionWhileLocked", replace: "if !isBusy, case .behind(", by: "if case .behind(")
    ),
    Fault(
      "cells-read-one-by-one",
      breaks: "several cells are read one after the other, not at one instant",
      Edit(
        in: "readInputsWhileLocked",
        replace: "group.locked { lookWhileLocked(…, take: take) }",
        by: """
          var isNew = false
          let goal = group.locked {
            lookWhileLocked(
              beginsHistory: beginsHistory,
              isForParkedReaders: isForParkedReaders,
              take: { isNew = true }
            )
          }
          if isNew { take() }
          return goal
          """
      ),
      Edit(
        in: "snapshot",
        replace: "group.locked { view.takeSnapshot(.now, nil) }",
        by: "view.takeSnapshot(.now, nil)"
      ),
      Edit(
        in: "snapshot",
        replace: "Cell<Value>.self) return …( cell.stateWhileLocked.value, … ) case .reached",
        by: """
          Cell<Value>.self)
          return cell.locked { …($0.value, version: $1.version, at: $0.newest, isRepeated: isRepeated) }
          case .reached
          """
      )
    ),
    Fault(
      "other-sides-unchecked",
      breaks: "several cells: the wake-up by one cell takes the other cells for unchanged",
      Edit(
        in: "lookAtSideWhileLocked",
        replace: "sum &- watermark.rawValue == found.load(ordering: .relaxed) &- former.rawValue",
        by: "sum >= watermark.rawValue"
      )
    ),
    Fault(
      "reader-parks-unwatched",
      breaks:
        "G3: a reader reuses the last look, though an input waiter that a writer woke is not parked again",
      Edit(in: "inputWaiterWoken", replace: "defer { isWatched = false }", by: "")
    ),
    Fault(
      "what-is-only-read-is-not-validated",
      breaks: "a transaction is published even if a cell that it has only read was written meanwhile",
      Edit(
        in: "decidedWhileLocked",
        replace: "if cell.rosterWhileLocked.version != link.entry.version",
        by: "if link.entry.isWritten, cell.rosterWhileLocked.version != link.entry.version"
      )
    ),
  ]

  private static let controlled = [
    Fault(
      "value-after-the-change",
      breaks: "prefix(until:): a late reader receives a value that was written after the change",
      Edit(
        in: "next",
        replace: "if hasEnded, joint.right.instant < joint.left.instant { return .finished }",
        by: ""
      )
    ),
    Fault(
      "current-value-counts-as-a-change",
      breaks: "sample(on:): the value that is current at the beginning counts as a change",
      Edit(
        in: "drainChanges",
        replace: "isChanged = isChanged || !stamp.isInitial",
        by: "isChanged = true; _ = stamp"
      )
    ),
    Fault(
      "other-source-keeps-the-reader",
      breaks: "G11: a reader does not end while a source goes on whose end does not matter",
      Edit(
        in: "lookWhileLocked",
        replace:
          "if endsEarly { isEnd = inputs.allSatisfy { !$0.mustEnd || $0.cell.rosterWhileLocked.isFinished } }",
        by: ""
      )
    ),
  ]

  private static let binding = [
    Fault(
      "version-read-after-the-conversion",
      breaks: "G3: a two-way binding treats a value that is written during its first conversion as equal",
      Edit(
        in: "init",
        replace: "equal = (begin.left.version, begin.versionOnRight)",
        by: "equal = (begin.left.version, right.version)"
      )
    )
  ]

  private static let relays = [
    Fault(
      "rests-through-the-end",
      breaks: "G11: a resting relay misses the end of its source",
      Edit(
        in: "startWaitingForEnds",
        replace: "where cell.joinEnd(endWaiter)",
        by: "where endWaiter !== ends.last?.endWaiter || !cell.watermark.isFinished"
      )
    ),
    Fault(
      "relay-parks-too-early",
      breaks: "G3: a relay's reader parks without a last check under the same lock",
      Edit(
        in: "readEnded",
        replace: "case .caughtUp(let version) where roster.isIdle(at: version)",
        by: "case .caughtUp"
      )
    ),
    Fault(
      "waiting-work-is-forgotten",
      breaks: "G3: what comes while a relay's turn is under way is lost",
      Edit(in: "workDone", replace: "if waiting.isEmpty", by: "waiting = []; if waiting.isEmpty")
    ),
    Fault(
      "two-turns-of-a-relay",
      breaks: "G2: two threads run turns of one relay at once",
      Edit(in: "workCame", replace: "if isAtWork {", by: "if isAtWork, waiting.count > 1 {")
    ),
    Fault(
      "offered-turn-is-lost",
      breaks: "G3: no job runs a turn that a lane has not taken",
      Edit(
        in: "lane",
        replace: "cell.locked { _ in lane.offerWasRefusedWhileLocked() } return false",
        by: "cell.locked { _ in lane.offerWasRefusedWhileLocked() }; return true"
      )
    ),
    Fault(
      "timer-ends-before-it-fires",
      breaks: "a test waits for no timer that has fired and has not handed out its value",
      Edit(in: "sleep", replace: "guard isDue", by: "record?.ended(); guard isDue")
    ),
    Fault(
      "derived-cell-dies-unseen",
      breaks: "G9: a source notices a dead derived cell only at its next value",
      Edit(
        in: "follow",
        replace: "if !cell.joinEnd(end) { DerivedCells.remove(cell) }",
        by: ""
      )
    ),
    Fault(
      "lingering-relay-forgets-its-value",
      breaks: "a reader that comes while a feed is still open waits for another element",
      Edit(in: "readersChangedWhileLocked", replace: "unsafe !storedState.keepsValue", by: "true")
    ),
    Fault(
      "two-lines-of-a-feed",
      breaks: "a feed is opened again before the last line is closed",
      Edit(in: "start", replace: "await previous?.ended()", by: "")
    ),
    Fault(
      "outer-end-unseen",
      breaks: "G9: the end of an outer source starts no sweep for dead owners",
      Edit(in: "outerEnded", replace: "writer.cell.sweep()", by: "")
    ),
    Fault(
      "stopped-driver-writes-again",
      breaks: "G2: a relay's writer that was closed opens again",
      Edit(in: "driverReady", replace: "writer > newestOpened,", by: "")
    ),
  ]

  private static let collections = [
    Fault(
      "filter-forgets-a-move",
      breaks: "Collections: a filter moves the results of its predicate, and not the elements",
      Edit(
        in: "apply",
        replace: "inclusions.insert(inclusion, at: destination) guard inclusion.isIncluded else",
        by: "inclusions.insert(inclusion, at: destination); guard inclusion.isIncluded, outputOffset < 0 else"
      )
    ),
    Fault(
      "change-is-repeated",
      breaks: "Collections: after a merged change, the next change repeats it",
      Edit(
        in: "next",
        replace: "lastReported = update.value",
        by: "if lastReported == nil || update.skipped == 0 { lastReported = update.value }"
      )
    ),
    Fault(
      "last-step-of-older-contents",
      breaks: "Collections: a reader that has missed an update receives only the last step",
      Edit(
        in: "changed",
        replace: "former = self.contents",
        by: "if case .insert = step { former = self.contents }"
      )
    ),
    Fault(
      "two-branches-with-one-write-id",
      breaks: "Collections: two copies of an array give different elements the same write ID",
      Edit(in: "willChange", replace: "writeIDs = …()", by: "")
    ),
    Fault(
      "key-hidden-by-its-hash",
      breaks:
        "Collections: a late watcher of a key reads the newest write to its hash, even of another key",
      Edit(
        in: "refreshWhileLocked",
        replace: "guard unsafe snapshot.chain == storedKnownChain else",
        by: "guard unsafe snapshot.chain == storedKnownChain || storedIsChainMine else"
      ),
      Edit(
        in: "lookAtOnceWhileLocked",
        replace: "guard unsafe watched.chain == storedKnownChain else",
        by: "guard unsafe watched.chain == storedKnownChain || storedIsChainMine else"
      )
    ),
    Fault(
      "found-entry-joins-a-known-chain",
      breaks: "G3: a watcher that joined before the entry of its key was found misses the next write",
      Edit(in: "beginChainWhileLocked", replace: "unsafe chain = Self.chainOfFoundEntry", by: "")
    ),
    Fault(
      "key-ends-before-a-batch",
      breaks: "G11: a watcher ends with the dictionary while a batch is not compared yet",
      Edit(
        in: "lookWhileLocked",
        replace: "roster.isFinished && keys.isDistributed",
        by: "roster.isFinished"
      ),
      Edit(
        in: "lookAtOnceWhileLocked",
        replace: "roster.isFinished && isDistributed",
        by: "roster.isFinished"
      )
    ),
    Fault(
      "distributed-write-unseen",
      breaks: "G3: a reader of a key does not look for a write that another writer has distributed",
      Edit(in: "isUpToDateWhileLocked", replace: "&& count == storedSeen", by: "&& count >= 0")
    ),
    Fault(
      "end-of-a-dictionary-unseen",
      breaks: "G11: a reader of a key does not look for the end that another thread has begun",
      Edit(in: "isUpToDateWhileLocked", replace: "&& !dictionary.watermark.isFinished", by: "")
    ),
    Fault(
      "key-parks-without-its-waiter",
      breaks: "G3: a reader of a key parks though no writer will wake it",
      Edit(
        in: "isUpToDateWhileLocked",
        replace: "unsafe isLinked &&",
        by: "unsafe (isLinked || count < .max) &&"
      )
    ),
    Fault(
      "key-overtakes-a-batch",
      breaks: "G4: a write to a key reaches its watchers before an earlier batch",
      Edit(in: "written", replace: "if isDistributed {", by: "if outdated == nil {")
    ),
    Fault(
      "unread-write-of-a-key-is-changed",
      breaks: "G4: a write to a key takes the place of a write that a reader of all values has not read",
      Edit(in: "addWhileLocked", replace: "unsafe !Node.isSole(&newestNode)", by: "unsafe newestNode == nil")
    ),
    Fault(
      "key-begins-from-an-older-lookup",
      breaks: "G3: the first reader of a key misses a write that comes while it looks the key up",
      Edit(
        in: "hasBegunWhileLocked",
        replace: "storedSeen = found.count",
        by: "storedSeen = found.watched.count"
      )
    ),
  ]

  private static let loading = [
    Fault(
      "superseded-result-stays",
      breaks: "Loading: the newest request wins, and the result of an older one is ignored",
      Edit(
        in: "ended",
        replace: "guard request == self.request else { startLoad(handle, &decision) return … }",
        by: ""
      )
    ),
    Fault(
      "answer-wakes-no-request",
      breaks: "Loading: each request is answered once",
      Edit(
        in: "answer",
        replace: "decision.woken = pending.answered(answer)",
        by: "_ = pending.answered(answer)"
      )
    ),
    Fault(
      "request-after-the-end-waits",
      breaks: "Loading: a request that comes after the end is answered by a CancellationError",
      Edit(
        in: "asked",
        replace: "if isClosed { return Outcome(result: .answered(.failure(CancellationError()))) }",
        by: ""
      )
    ),
    Fault(
      "cancelled-call-keeps-its-place",
      breaks: "Actions: a call that was cancelled while it waited has no turn",
      Edit(in: "left", replace: "remove(call) return nil", by: "return nil")
    ),
    Fault(
      "turn-kept-by-a-cancelled-call",
      breaks: "Actions: the turn of a cancelled call goes to the next call",
      Edit(
        in: "execute",
        replace: "defer { queue.leave(call) } … do {",
        by: "… defer { queue.leave(call) }; do {"
      )
    ),
    Fault(
      "written-after-the-end",
      breaks: "G8: after cancelAndWait() no element of a sequence is written",
      Edit(
        in: "elementCame",
        replace: "isWriting = end == nil return isWriting",
        by: "isWriting = true; return true"
      )
    ),
  ]
}
