import ActorBindings

struct ServerConfig: Equatable, Sendable {
  var port = 8080
  var level = "info"
}

/// Loads the configuration on each hang-up, and every minute. A file that is wrong leaves the configuration as it is.
final class ConfigReloader: Sendable {
  let config: BindableActor<ServerConfig>
  let problem = BindableActor<String?>(nil)
  private let bag = DisposeBag()

  init(
    _ first: ServerConfig,
    hangUps: EventSource<Void>,
    clock: some Clock<Duration> = ContinuousClock(),
    load: @escaping @Sendable () async throws -> ServerConfig
  ) {
    config = BindableActor(first)
    merge(hangUps.map { _ in 0 }, interval(.seconds(60), clock: clock))
      .asyncMap(inputBacklog: .latest) { _ in try await load() }
      .observe(self, on: .immediate, backlog: .unbounded) { reloader, result in reloader.take(result) }
      .store(in: bag)
  }

  private func take(_ result: Result<ServerConfig, any Error>) {
    switch result {
    case .success(let loaded):
      config.sendIfChanged(loaded)
      problem.sendIfChanged(nil)
    case .failure(let error):
      problem.sendIfChanged("\(error)")
    }
  }

  /// Runs a server on the configured port. A change of the port ends the server, and runs it again.
  func serve(_ run: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
    try await config.map(\.port).removeDuplicates().forEachLatest(run)
  }
}
