package import ActorBindings
import WebServer

/// What the server sends to a client.
package enum BoardEvent: Sendable {
  /// The newest prices, and when the board published them.
  case prices([Quote], ContinuousClock.Instant)
  case jobs(ArrayChange<Job>)
  case sessions(Int)
  case health(Condition)
  case controls(Controls)
  /// The last minute of the board itself, second by second.
  case vitals(ArrayChange<Vitals>)
  /// Comes every 15 seconds, so that no connection is idle for long.
  case heartbeat
}

/// The state of the buttons and of the slider, which all pages share.
package struct Controls: Sendable, Equatable {
  /// The number of trades in a second.
  package var rate: Int
  /// When each service that is stopped was stopped, by its name.
  package var stops: [String: ContinuousClock.Instant]

  package init(rate: Int, stops: [String: ContinuousClock.Instant] = [:]) {
    self.rate = rate
    self.stops = stops
  }

  /// The clocks of server and browser differ, so the page receives ages, in milliseconds.
  fileprivate var json: String {
    let now = ContinuousClock.now
    let ages = stops.sorted { $0.key < $1.key }.map { name, stop in
      "\(name.json):\(Int(max(0, (now - stop) / .milliseconds(1))))"
    }
    return "{\"rate\":\(rate),\"stopped\":{\(ages.joined(separator: ","))}}"
  }
}

extension BoardEvent {
  /// Returns the part of this event that concerns a client that follows `symbols`, or nil if no part does. A client
  /// without symbols follows all of them.
  package func concerning(_ symbols: [String], onlyPrices: Bool = false) -> BoardEvent? {
    if onlyPrices {
      guard case .prices = self else { return nil }
    }
    switch self {
    case .prices(let quotes, let instant) where !symbols.isEmpty:
      let chosen = quotes.filter { symbols.contains($0.symbol) }
      return chosen.isEmpty ? nil : .prices(chosen, instant)
    // A change without edits concerns no client.
    case .jobs(let change) where change.edits?.isEmpty == true: return nil
    case .vitals(let change) where change.edits?.isEmpty == true: return nil
    default: return self
    }
  }

  /// Whether this event says the same as the previous event, `former`. A change of the jobs never does, because each
  /// change builds on the previous one. Only consecutive events are compared, so a client may receive the same prices
  /// again after another event.
  package func repeats(_ former: BoardEvent) -> Bool {
    switch (former, self) {
    case (.prices(let former, _), .prices(let quotes, _)): former == quotes
    case (.sessions(let former), .sessions(let count)): former == count
    case (.health(let former), .health(let condition)): former == condition
    case (.controls(let former), .controls(let controls)): former == controls
    default: false
    }
  }

  /// When the board published the values of this event; nil if the age of the event is not measured.
  package var published: ContinuousClock.Instant? {
    if case .prices(_, let instant) = self { instant } else { nil }
  }

  /// Returns the bytes of this event.
  ///
  /// - Parameter skipped: The number of updates that the client missed before this event; nil if the client does not
  ///   want to know.
  package func bytes(as id: UInt64, skipped: Int? = nil) -> [UInt8] {
    let count = skipped.map { ServerSentEvent("skipped", data: "\($0)").bytes } ?? []
    return (sent(as: id)?.bytes ?? ServerSentEvent.comment("heartbeat")) + count
  }

  private func sent(as id: UInt64) -> ServerSentEvent? {
    switch self {
    case .prices(let quotes, _):
      let fields = quotes.map { "\($0.symbol.json):\($0.cents)" }
      return ServerSentEvent("prices", id: id, data: "{\(fields.joined(separator: ","))}")
    case .jobs(let change): return ServerSentEvent("jobs", id: id, data: change.json(\.json))
    case .sessions(let count): return ServerSentEvent("sessions", id: id, data: "\(count)")
    case .health(let condition): return ServerSentEvent("health", id: id, data: condition.json)
    case .controls(let controls): return ServerSentEvent("controls", id: id, data: controls.json)
    case .vitals(let change): return ServerSentEvent("vitals", id: id, data: change.json(\.json))
    case .heartbeat: return nil
    }
  }
}

extension CollectionChange {
  /// The whole list or the steps, with the number of elements that result. By this number a client checks that it has
  /// missed no change.
  fileprivate func json<Element>(_ json: (Element) -> String) -> String
  where Whole == PersistentArray<Element> {
    switch content {
    case .reset(let elements):
      "{\"count\":\(value.count),\"reset\":[\(elements.map(json).joined(separator: ","))]}"
    case .edits(let edits):
      "{\"count\":\(value.count),\"edits\":[\(edits.map { $0.json(json) }.joined(separator: ","))]}"
    }
  }
}

extension ArrayEdit {
  fileprivate func json(_ json: (Element) -> String) -> String {
    switch self {
    case .insert(let offset, let element): "[\"insert\",\(offset),\(json(element))]"
    case .remove(let offset, _): "[\"remove\",\(offset)]"
    case .update(let offset, let element, _): "[\"update\",\(offset),\(json(element))]"
    case .move(let source, let destination, _): "[\"move\",\(source),\(destination)]"
    }
  }
}

extension Job {
  fileprivate var json: String { "{\"id\":\(id),\"title\":\(title.json),\"progress\":\(progress)}" }
}
