import ActorBindings

/// What there is to follow, made once for all clients.
///
/// ```
/// prices ─ quotes ─ throttle ─ ticker ──┐
/// jobs ──────────── throttle ─ agenda ──┤          ┌ ACME ─ loop ─ send
/// sessions ─ count ─ throttle ─ audience┼─ merge ──┼ all ── loop ─ send
/// health ──────────── map ─ condition ──┘          └ …
/// ```
///
/// A `throttle` has a timer and a cell of its own. If each connection made one there would be as many timers as
/// clients; and each client's `skipped` would count what was left out on purpose, where now it says what that client was
/// too slow for.
struct Feed: Sendable {
  /// The quotes are listed before the throttle: once for all clients.
  let ticker: BindableActor<[Quote]?>
  let agenda: BindableActor<PersistentArray<Job>?>
  let audience: BindableActor<Int?>
  let condition: BindableActor<Condition>

  init(_ services: Services, pace: Duration) {
    ticker = BindableActor(of: services.prices.quotes.throttle(for: pace))
    agenda = BindableActor(of: services.jobs.cell.throttle(for: pace * 2))
    audience = BindableActor(of: services.sessions.cell.countSource.throttle(for: pace * 4))
    condition = BindableActor(of: services.health.cell.map(Condition.init).removeDuplicates())
  }

  /// All of it, in the order in which it happens. Each call makes what follows the cells anew: call it once. It ends when
  /// all the services have.
  func events() -> some BindingSource<BoardEvent> {
    merge(
      merge(
        ticker.compactMap(\.self).map(BoardEvent.prices),
        agenda.compactMap(\.self).changes.map(BoardEvent.jobs)
      ),
      merge(
        audience.compactMap(\.self).map(BoardEvent.sessions),
        condition.map(BoardEvent.health)
      )
    )
  }
}
