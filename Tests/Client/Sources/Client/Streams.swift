import ActorBindings

/// Runs loops with each backlog, beside writers.
func useStreams() async {
  let cell = BindableActor(Quote(0))
  let streams: [BindingStream<CellCursor<Quote>>] = [
    cell.values, cell.values(backlog: .bounded(16)), cell.values(backlog: .unbounded),
  ]
  let diaries = streams.map { _ in Diary<Int>() }
  await withTaskGroup(of: Void.self) { group in
    for (stream, diary) in zip(streams, diaries) {
      group.addTask {
        for await quote in stream { diary.write(quote.sum) }
      }
    }
    group.addTask {
      for await update in cell.map(\.price).filter({ $0.isMultiple(of: 3) }).updates() { _ = update.skipped }
    }
    group.addTask {
      await concurrently(3) { _, turn in cell.send(Quote(turn)) }
      cell.send(Quote(-1))
      cell.finish()
    }
  }
  for diary in diaries { check(diary.entries.last == Quote(-1).sum, "a loop ends on the last value") }
  check(diaries[2].entries.count == 3 * turns + 2, "an unbounded loop sees each value")

  // A loop that breaks in the middle, and a loop whose task is cancelled.
  let next = BindableActor(Quote(0))
  await concurrently(3) { task, turn in
    if task == 0 { return next.send(Quote(turn)) }
    let stream = next.values(backlog: .unbounded)
    let loop = Task {
      var sum = 0
      for await quote in stream {
        sum += quote.sum
        if quote.price > turns / 2 { break }
      }
      return sum
    }
    next.send(Quote(turn))
    loop.cancel()
    _ = await loop.value
  }
}

/// Lets tasks pass objects to each other without a lock. Each task waits until the cell says that it has the turn. Many
/// tasks are resumed before they suspend.
func useFirst() async {
  let turn = BindableActor(0)
  let diary = Diary<Int>()
  await withTaskGroup(of: Void.self) { group in
    for player in 0..<3 {
      group.addTask {
        for round in 0..<turns {
          _ = await turn.first { $0 == 3 * round + player }
          diary.write(player)
          turn.modify { $0 += 1 }
        }
      }
    }
  }
  check(diary.entries.count == 3 * turns, "each player had its turns")
}
