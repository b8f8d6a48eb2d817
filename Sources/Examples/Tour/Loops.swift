import ActorBindings

/// Many `for await` loops over one cell, each with an account.
struct Loops: Sendable {
  /// The progress of the loops. A cell holds the progress, so that a task can wait for it.
  struct Roll: Sendable {
    var begun = 0
    var ended = 0
    var total = Account()
  }

  let count: Int
  let backlog: Backlog
  let roll = BindableActor(Roll())

  init(_ count: Int, over settings: BindableActor<Settings>, backlog: Backlog) {
    self.count = count
    self.backlog = backlog
    for _ in 0..<count {
      Task { [roll] in
        var account = Account()
        for await update in settings.updates(backlog: backlog) {
          if update.isInitial { roll.modify { $0.begun += 1 } }
          account.record(update)
        }
        if !settings.isFinished { account.complain("a loop ended before its cell did") }
        account.close(at: settings.version, mayBeSkipped: backlog != .unbounded)
        roll.modify { [account] roll in
          roll.ended += 1
          roll.total += account
        }
      }
    }
  }

  /// Returns when each loop has seen the first value.
  func haveBegun() async {
    await comesTrue(roll.map { [count] in $0.begun == count })
  }

  /// Returns when each loop has ended.
  func haveEnded() async {
    await comesTrue(roll.map { [count] in $0.ended == count })
  }
}

/// Waits until `condition` holds, for a limited time: this program should report a fault, not hang.
private func comesTrue(_ condition: some BindingSource<Bool>) async {
  let waiting = Task {
    for await holds in condition.values where holds { break }
  }
  let alarm = Task {
    try await Task.sleep(for: .seconds(20))
    waiting.cancel()  // A cancelled task ends its own loop.
  }
  await waiting.value
  alarm.cancel()
}
