package import ActorBindings
package import WebServer

/// Connects the services with the server. This function is the binder: services and server do not know each other.
///
/// - Parameters:
///   - pace: The least interval between two events with prices.
///   - files: The files that the page links.
package func bind(
  _ services: Services,
  _ limits: Limits = Limits(),
  crowd: Crowd = Crowd(),
  counting tally: BindableActor<Tally> = BindableActor(Tally()),
  pace: Duration = .milliseconds(250),
  linking files: LinkedFiles = LinkedFiles()
) -> Server {
  let feed = Feed(services, pace: pace)
  // The task of each client includes the cursor of its loop. A cursor of the erased source is a pointer. Without `erased`,
  // the cursor would have a position in each of the merged cells, and take several kilobytes.
  let events = feed.events().erased()
  let sessions = services.sessions

  // Each client has one loop, in one task. The cursor of the loop holds all that is particular to the client: its
  // symbols, and the event that it received last. The client needs no further task, timer or buffer. While `send` waits
  // for the client, nothing is stored for the client. Afterwards the loop continues with the newest values.
  let follow = { @Sendable (client: Client) async in
    let symbols = client.request.values(of: "symbol")
    let pause = pauseOfLoop(for: client.request)
    let session = sessions.join(symbols)
    defer { sessions.leave(session) }
    if client.request.lastEventID != nil { tally.modify { $0.returned += 1 } }

    let updates = events.compactMap { $0.concerning(symbols, onlyPrices: pause != nil) }
      .removeDuplicates { $1.repeats($0) }
      .updates()
    for await event in updates {
      let bytes = event.value.bytes(as: event.version, skipped: pause == nil ? nil : event.skipped)
      guard await client.send(bytes) else { break }
      count(event, isSlow: pause != nil, in: tally)
      // A slow client. The loop sleeps, and nothing else does: the next event is the newest one.
      if let pause { try? await Task.sleep(for: pause) }
    }
  }

  let actions = BoardActions(services, crowd)
  return Server(limits, counting: tally) { request in
    let known: Answer? =
      switch request.path {
      case "/": .response(page)
      case "/streams.js": .response(worker)
      case "/events": .events(follow: follow)
      case "/cells": .response(cellPage)
      case "/cells.json": .action { CellTable().response }
      case "/metrics": .response(Metrics(tally, services, feed).response)
      default: files[request.path].map { .response($0) }
      }
    guard let known else { return actions.answer(to: request) }
    let isReading = request.method == "GET" || request.method == "HEAD"
    return isReading ? known : .response(Response(refusing: .refusal(of: request.method)))
  }
}

/// The time for which the loop of a client should sleep after each event: the page can ask for a slow client, to show
/// what happens to one. Such a client receives only prices. Nil for other clients.
private func pauseOfLoop(for request: Request) -> Duration? {
  request.values(of: "pause").first.flatMap(Int.init).map { .milliseconds(min(max($0, 0), 10_000)) }
}

private func count(_ event: Update<BoardEvent>, isSlow: Bool, in tally: BindableActor<Tally>) {
  tally.modify { tally in
    tally.events += 1
    tally.skipped += event.skipped
    // The loop of a slow client sleeps on purpose, so the ages of its events say nothing about the server.
    guard !isSlow, let published = event.value.published else { return }
    tally.ages.record(ContinuousClock.now - published)
  }
}
