import ActorBindings

/// Twenty idioms of a program that used RxSwift. The comment above each shows what stood there.
enum RxMigration {
  // let count = BehaviorRelay(value: 0); count.accept(count.value + 1)
  static func increment(_ count: BindableActor<Int>) {
    count.modify { $0 += 1 }
  }

  // taps.withLatestFrom(name)
  static func submitted(
    _ name: some StateSource<String>,
    on taps: EventSource<Void>
  ) -> some BindingSource<String> {
    taps.map { _ in name.value }
  }

  // Observable.combineLatest(mail, password) { !$0.isEmpty && $1.count > 7 }.distinctUntilChanged()
  static func isValid(
    _ mail: BindableActor<String>,
    _ password: BindableActor<String>
  ) -> some StateSource<Bool> {
    combineLatest(mail, password).map { !$0.isEmpty && $1.count > 7 }.removeDuplicates()
  }

  // Observable.merge(up.map { 1 }, down.map { -1 }).scan(0, accumulator: +)
  static func counter(_ up: EventSource<Void>, _ down: EventSource<Void>) -> some BindingSource<Int> {
    merge(up.map { 1 }, down.map { -1 }).scan(0, +)
  }

  // Observable.zip(questions, answers)
  static func dialogue(
    _ questions: EventSource<String>,
    _ answers: EventSource<String>
  ) -> some BindingSource<(String, String)> {
    zip(questions, answers)
  }

  // text.debounce(.milliseconds(300), scheduler: scheduler).distinctUntilChanged()
  static func query(
    _ text: BindableActor<String>,
    clock: some Clock<Duration>
  ) -> some BindingSource<String> {
    text.debounce(for: .milliseconds(300), clock: clock).removeDuplicates()
  }

  // query.flatMapLatest { api.search($0).catchAndReturn([]) }
  static func results(
    _ query: some BindingSource<String>,
    _ search: @escaping @Sendable (String) async throws -> [String]
  ) -> some BindingSource<[String]> {
    query.mapLatest { (try? await search($0)) ?? [] }.compactMap(\.content)
  }

  // user.flatMapLatest { $0.map { api.messages(of: $0) } ?? .just([]) }
  static func messages(
    of user: BindableActor<String?>,
    in rooms: [String: BindableActor<[String]>]
  ) -> some BindingSource<[String]> {
    user.flatMapLatest { user in user.flatMap { rooms[$0] }?.erased() ?? .constant([]) }
  }

  // progress.throttle(.seconds(1), scheduler: scheduler)
  static func display(
    _ progress: BindableActor<Int>,
    clock: some Clock<Duration>
  ) -> some BindingSource<Int> {
    progress.throttle(for: .seconds(1), clock: clock)
  }

  // prices.startWith(0)
  static func shown(_ prices: EventSource<Int>) -> some BindingSource<Int> {
    prices.orInitially(0)
  }

  // config.map(parse).share(replay: 1)
  static func parsed(
    _ config: BindableActor<String>,
    by parse: @escaping @Sendable (String) -> Int
  ) -> BindableActor<Int> {
    BindableActor(of: config.map(parse))
  }

  // location.pairwise().map { $1 - $0 }
  static func steps(_ location: BindableActor<Int>) -> some BindingSource<Int> {
    location.withPrevious().compactMap { old, new in old.map { new - $0 } }
  }

  // location.skip(1).take(until: logouts)
  static func moves(
    _ location: BindableActor<Int>,
    until logouts: EventSource<Void>
  ) -> some BindingSource<Int> {
    location.dropFirst().prefix(until: logouts)
  }

  // lines.buffer(timeSpan: .seconds(1), count: 100, scheduler: scheduler).filter { !$0.isEmpty }
  static func batches(
    _ lines: EventSource<String>,
    clock: some Clock<Duration>
  ) -> some BindingSource<[String]> {
    lines.chunks(ofCount: 100, orAfter: .seconds(1), clock: clock)
  }

  // uploads.concatMap { api.store($0) }
  static func stored(
    _ uploads: EventSource<String>,
    by store: @escaping @Sendable (String) async -> Int
  ) -> some BindingSource<Int> {
    uploads.asyncMap { await store($0) }
  }

  // api.rates().retry(3)
  static func rates(_ load: @escaping @Sendable () async throws -> Int) async throws -> Int {
    try await LoadingCell(retry: .backoff(attempts: 3, first: .zero), load).load()
  }

  // Observable<Int>.interval(.seconds(10), scheduler: scheduler).flatMapFirst { _ in api.status() }
  //
  // `flatMapFirst` drops the ticks that come during a call. This keeps the newest of them, and calls again.
  static func status(
    clock: some Clock<Duration>,
    _ ask: @escaping @Sendable () async -> String
  ) -> some BindingSource<String> {
    interval(.seconds(10), clock: clock).asyncMap(inputBacklog: .latest) { _ in await ask() }
  }

  // isReady.filter { $0 }.take(1).timeout(.seconds(5), scheduler: scheduler)
  static func waits(for isReady: BindableActor<Bool>, clock: some Clock<Duration>) async -> Bool {
    await isReady.first(where: { $0 }, timeout: .seconds(5), clock: clock) != nil
  }

  // name.bind(to: label.rx.text).disposed(by: bag)
  @MainActor
  static func show(_ name: BindableActor<String>, on label: NameLabel, in bag: DisposeBag) {
    name.bind(to: label, \.text).store(in: bag)
  }

  // save.flatMapFirst { api.save() }.trackActivity(isSaving)
  static func saving(_ save: @escaping @Sendable () async throws -> Void) -> AsyncAction<Void, Void> {
    AsyncAction(save)
  }
}

@MainActor
final class NameLabel {
  var text = ""
}
