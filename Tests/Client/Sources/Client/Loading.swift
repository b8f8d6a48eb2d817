import ActorBindings
import Dispatch

/// Loads a value in several tasks, and sends events.
func useLoading() async {
  let versions = BindableActor(0)
  let profile = LoadingCell {
    Quote(
      versions.modify {
        $0 += 1; return $0
      }
    )
  }
  let diary = Diary<Int>()
  let token = profile.observe(on: .queue(DispatchQueue(label: "profile"))) {
    diary.write($0.content?.sum ?? 0)
  }
  await concurrently(4) { task, turn in
    switch task {
    case 0 where turn.isMultiple(of: 4): _ = try? await profile.reload().sum
    case 1: profile.startReloading()
    case 2 where turn.isMultiple(of: 50): profile.cancel()
    default: _ = try? await profile.load().sum
    }
  }
  _ = try? await profile.load()
  await profile.settled()
  check(diary.entries.last == profile.value.content?.sum, "settled: the observer has seen what was loaded")
  token.cancel()
  profile.finish()
}

/// Calls an action in several tasks, sends events, and lets a cell follow a sequence.
func useActions() async {
  let shared = Diary<Int>()
  let add = AsyncAction(whileBusy: .queue) { (quote: Quote) in
    // The action runs one call at a time, so `shared` needs no lock.
    shared.write(quote.sum)
    return quote.price
  }
  let events = EventSource<Quote>()
  let heard = Diary<Int>()
  let token = events.observe(on: .queue(DispatchQueue(label: "events")), backlog: .unbounded) {
    heard.write($0.sum)
  }
  await concurrently(3) { task, turn in
    _ = try? await add.execute(Quote(turn))
    events.send(Quote(turn))
  }
  await events.settled()
  check(shared.entries.count == 3 * turns, "each call of a queue is made")
  check(heard.entries.count == 3 * turns, "each event is received")
  token.cancel()
  events.finish()

  let (stream, continuation) = AsyncStream.makeStream(of: Quote.self)
  let price = BindableActor(Quote(0))
  let following = price.follow(stream)
  for turn in 0..<turns { continuation.yield(Quote(turn)) }
  continuation.finish()
  _ = await price.first { $0.price == turns - 1 }
  await following.cancelAndWait()
}
