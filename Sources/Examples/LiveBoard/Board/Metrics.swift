import ActorBindings
import WebServer

/// Figures in the format of Prometheus. The figures include the connection over which a client requests them.
struct Metrics: Sendable {
  private var lines: [String] = []
  private var known: Set<String> = []

  init(_ tally: BindableActor<Tally>, _ services: Services, _ feed: Feed) {
    let count = tally.value
    add("connections", count.connections)
    add("streams", count.streams)
    add("stalled", count.stalled)
    add("parting", count.parting)
    add("sessions", services.sessions.cell.value.count)
    add("rate", services.prices.rate.value)

    // Each client is one observer of each cell of the feed. For the cells of the services, all clients together are one
    // observer.
    add("observers{cell=\"ticker\"}", feed.ticker.observerCount)
    add("observers{cell=\"agenda\"}", feed.agenda.observerCount)
    add("observers{cell=\"audience\"}", feed.audience.observerCount)
    add("observers{cell=\"condition\"}", feed.condition.observerCount)
    add("observers{cell=\"controls\"}", feed.controls.observerCount)
    add("observers{cell=\"minute\"}", feed.minute.observerCount)
    add("observers{cell=\"prices\"}", services.prices.cell.observerCount)
    add("observers{cell=\"jobs\"}", services.jobs.cell.observerCount)
    add("observers{cell=\"sessions\"}", services.sessions.cell.observerCount)

    add("accepted_total", count.accepted)
    add("events_total", count.events)
    add("skipped_total", count.skipped)
    add("refused_total", count.refused)
    add("dropped_total", count.dropped)
    add("returned_total", count.returned)
    add("processor_milliseconds_total", Int(System.processorSeconds * 1_000))
    if let bytes = System.residentBytes { add("resident_bytes", bytes) }
    for part in [0.5, 0.99] {
      let age = (count.ages.quantile(part) ?? .zero) / .microseconds(1)
      add("age_microseconds{quantile=\"\(part)\"}", Int(age))
    }
  }

  private mutating func add(_ name: String, _ number: Int) {
    let family = "liveboard_\(name.prefix { $0 != "{" })"
    if known.insert(family).inserted {
      lines.append("# TYPE \(family) \(family.hasSuffix("_total") ? "counter" : "gauge")\n")
    }
    lines.append("liveboard_\(name) \(number)\n")
  }

  var response: Response {
    Response(type: "text/plain; version=0.0.4; charset=utf-8", body: lines.joined())
  }
}
