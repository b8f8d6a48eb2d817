import ActorBindings

/// The sources that all clients share.
///
/// ```
/// prices ─ quotes ─ throttle ─ ticker ──┐
/// jobs ──────────── throttle ─ agenda ──┤          ┌ ACME ─ loop ─ send
/// sessions ─ count ─ throttle ─ audience┼─ merge ──┼ all ── loop ─ send
/// health ──────────── map ─ condition ──┤          └ …
/// running, rate ─ combine ─ controls ───┤
/// minute ───────────────────────────────┤
/// seconds ─────────── map ─ heartbeat ──┘
/// ```
///
/// A `throttle` has a timer and a cell of its own. If each connection made a throttle, there would be as many timers as
/// clients, and each client's `skipped` would include the updates that the throttle left out. Here `skipped` counts
/// only the updates for which the client was too slow.
struct Feed: Sendable {
  /// The quotes of one moment.
  struct Ticks: Sendable {
    var quotes: [Quote]
    var published: ContinuousClock.Instant
  }

  /// Holds the list of quotes, which is made once for all clients, after the throttle.
  let ticker: BindableActor<Ticks?>
  let agenda: BindableActor<PersistentArray<Job>?>
  let audience: BindableActor<Int?>
  let condition: BindableActor<Condition>
  let controls: BindableActor<Controls>
  let minute: BindableArray<Vitals>
  let heartbeat: BindableActor<Int>

  init(_ services: Services, pace: Duration) {
    ticker = BindableActor(
      of: services.prices.cell.throttle(for: pace).map { Ticks(quotes: quotes(of: $0), published: .now) }
    ).named("ticker")
    agenda = BindableActor(of: services.jobs.cell.throttle(for: pace * 2)).named("agenda")
    audience = BindableActor(of: services.sessions.cell.countSource.throttle(for: pace * 4)).named("audience")
    condition = BindableActor(
      of: services.health.cell.map(Condition.init).removeDuplicates()
    ).named("condition")
    controls = BindableActor(
      of: combineLatest(services.running, services.prices.rate).map { running, rate in
        let stops = running.compactMap { service in service.value.stop.map { (service.key, $0) } }
        return Controls(rate: rate, stops: Dictionary(uniqueKeysWithValues: stops))
      }
    ).named("controls")
    minute = services.minute
    heartbeat = BindableActor(of: services.seconds.map { $0 / 15 }.removeDuplicates()).named("heartbeat")
  }

  /// Merges all events in the order in which they happen. Ends when all services have ended. Each call makes another
  /// reader of the cells, so call it once.
  func events() -> some BindingSource<BoardEvent> {
    merge(
      merge(
        ticker.compactMap(\.self).map { BoardEvent.prices($0.quotes, $0.published) },
        agenda.compactMap(\.self).changes.map(BoardEvent.jobs),
        minute.changes.map(BoardEvent.vitals)
      ),
      merge(
        audience.compactMap(\.self).map(BoardEvent.sessions),
        controls.map(BoardEvent.controls),
        condition.map(BoardEvent.health)
      ),
      heartbeat.map { _ in BoardEvent.heartbeat }
    )
  }
}
