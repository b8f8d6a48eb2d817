import ActorBindings

/// The binder: it knows the services and the server, and ties them. They do not know each other.
///
/// - Parameter pace: How far apart a client is told of prices, at least.
package func bind(_ services: Services, _ limits: Limits = Limits(), pace: Duration = .milliseconds(250))
  -> Server
{
  let feed = Feed(services, pace: pace)
  let events = feed.events()
  let sessions = services.sessions
  let tally = BindableActor(Tally())

  // One loop in one task for each client. What sets it apart from the others, its symbols and what it was told last, is
  // in its own place in the cells: no task, no timer, no buffer. While `send` waits for the client nothing is kept for
  // it either: afterwards the loop goes on with what is newest then.
  let follow = { @Sendable (client: Client) async in
    let symbols = client.request.values(of: "symbol")
    let session = sessions.join(symbols)
    defer { sessions.leave(session) }
    if client.request.lastEventID != nil { tally.modify { $0.returned += 1 } }

    var view = reader(of: events, concerning: symbols)
    while let event = await view.next(isolation: nil) {
      guard await client.send(event.value.sent(as: event.version).bytes) else { break }
      tally.modify { tally in
        tally.events += 1
        tally.skipped += event.skipped
      }
    }
  }

  return Server(limits, counting: tally) { request in
    switch (request.path, request.method) {
    case ("/", "GET"): .response(page)
    case ("/events", "GET"): .events(follow: follow)
    case ("/metrics", "GET"): .response(Metrics(tally, services, feed).response)
    case ("/", _), ("/events", _), ("/metrics", _): .response(Response(refusing: refusal(of: request.method)))
    default: .response(Response(refusing: .notFound))
    }
  }
}

// Not in the loop's own function: what an async function makes on the way stays in its frame for as long as it waits, and
// the cursors of a merge of four are more than a kilobyte, in several copies. This is one pointer.
@inline(never)
private func reader(
  of events: some BindingSource<BoardEvent>,
  concerning symbols: [String]
) -> some AsyncIteratorProtocol<Update<BoardEvent>, Never> {
  events.compactMap { $0.concerning(symbols) }.removeDuplicates { $1.repeats($0) }.updates()
    .makeAsyncIterator()
}

// What HTTP knows, and this server does not do, is another thing than what nobody knows.
private func refusal(of method: String) -> Status {
  let known = ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]
  return known.contains(method) ? .methodNotAllowed : .unknownMethod
}
