package import ActorBindings
package import WebServer

/// What the server sends to a client.
package enum BoardEvent: Sendable {
  case prices([Quote])
  case jobs(ArrayChange<Job>)
  case sessions(Int)
  case health(Condition)
}

extension BoardEvent {
  /// Returns the part of this event that concerns a client that follows `symbols`, or nil if no part does. A client
  /// without symbols follows all of them.
  package func concerning(_ symbols: [String]) -> BoardEvent? {
    switch self {
    case .prices(let quotes) where !symbols.isEmpty:
      let chosen = quotes.filter { symbols.contains($0.symbol) }
      return chosen.isEmpty ? nil : .prices(chosen)
    // A change without edits concerns no client.
    case .jobs(let change) where change.edits?.isEmpty == true: return nil
    default: return self
    }
  }

  /// Whether this event says the same as the previous event, `former`. A change of the jobs never does, because each
  /// change builds on the previous one. Only consecutive events are compared, so a client may receive the same prices
  /// again after another event.
  package func repeats(_ former: BoardEvent) -> Bool {
    switch (former, self) {
    case (.prices(let former), .prices(let quotes)): former == quotes
    case (.sessions(let former), .sessions(let count)): former == count
    case (.health(let former), .health(let condition)): former == condition
    default: false
    }
  }

  package func sent(as id: UInt64) -> ServerSentEvent {
    switch self {
    case .prices(let quotes):
      let fields = quotes.map { "\($0.symbol.json):\($0.cents)" }
      return ServerSentEvent("prices", id: id, data: "{\(fields.joined(separator: ","))}")
    case .jobs(let change): return ServerSentEvent("jobs", id: id, data: change.json)
    case .sessions(let count): return ServerSentEvent("sessions", id: id, data: "\(count)")
    case .health(let condition): return ServerSentEvent("health", id: id, data: condition.json)
    }
  }
}

extension ArrayChange<Job> {
  /// The whole list or the steps, with the number of jobs that result. By this number a client checks that it has
  /// missed no change.
  var json: String {
    switch content {
    case .reset(let jobs): "{\"count\":\(value.count),\"reset\":[\(jobs.map(\.json).joined(separator: ","))]}"
    case .edits(let edits):
      "{\"count\":\(value.count),\"edits\":[\(edits.map(\.json).joined(separator: ","))]}"
    }
  }
}

extension ArrayEdit<Job> {
  fileprivate var json: String {
    switch self {
    case .insert(let offset, let job): "[\"insert\",\(offset),\(job.json)]"
    case .remove(let offset, _): "[\"remove\",\(offset)]"
    case .update(let offset, let job, _): "[\"update\",\(offset),\(job.json)]"
    case .move(let source, let destination, _): "[\"move\",\(source),\(destination)]"
    }
  }
}

extension Job {
  fileprivate var json: String { "{\"id\":\(id),\"title\":\(title.json),\"progress\":\(progress)}" }
}
