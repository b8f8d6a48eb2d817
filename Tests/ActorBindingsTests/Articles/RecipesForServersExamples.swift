import ActorBindings
import Dispatch
import Foundation
import Testing

// The code between the markers is shown in the article `RecipesForServers`; the suite `ArticleTests` compares the two.
// `Service`, `Router` and the other types of servers are those of `ServerStandIns.swift`.

struct RecipesForServersExamples {
  struct User: Sendable {
    var language = "en"
  }

  struct Config: Sendable, Equatable {
    var limit = 1
  }

  /// A client that receives lines, each of them when the test lets it.
  struct Client: Sendable {
    let lines = Recorder<String>()
    let isReady = BindableActor(Int.max)

    func write(_ line: String) async {
      let number = lines.count
      _ = await isReady.first { $0 > number }
      lines.record(line)
    }
  }

  // article
  actor Session {
    private let bag = DisposeBag()
    private var language = ""

    init(of user: BindableActor<User>) {
      language = user.value.language
      user.map(\.language).removeDuplicates()
        .observe(with: self) { $0.language = $1 }
        .store(in: bag)
    }

    func serve(
      _ news: BindableActor<[String: String]>,
      to client: Client
    ) async {
      // The newest, as fast as this client takes it:
      for await update in news.updates() {
        let line = update.value[language] ?? "-"
        await client.write("\(line) (\(update.skipped) skipped)")
      }
    }
  }
  // end

  // article
  func serve(
    _ prices: BindableActor<Int>,
    to client: Client,
    clock: some Clock<Duration>
  ) async throws {
    for await price in prices.values {
      await client.write("\(price)")
      // Meanwhile the cell stores nothing for this client.
      try await clock.sleep(for: .seconds(1))
    }
  }
  // end

  // article
  func serve(
    _ clients: [Client],
    _ news: BindableActor<String>,
    until stop: BindableActor<Bool>
  ) async {
    await withTaskGroup { group in
      for client in clients {
        group.addTask {
          for await line in news.values { await client.write(line) }
        }
      }
      _ = await stop.first { $0 }
      news.send("The server restarts.")
      // Each client receives the last line, and then its loop ends.
      news.finish()
    }
  }
  // end

  // article
  struct Market: Service {
    let prices: BindableDictionary<String, Int>
    let clock: any Clock<Duration>

    func run() async throws {
      defer { prices.finish() }  // ends every loop over the prices
      await cancelWhenGracefulShutdown {
        while (try? await clock.sleep(for: .milliseconds(25))) != nil {
          for symbol in prices.value.keys {
            prices.modify(forKey: symbol) { $0? += .random(in: -40...41) }
          }
        }
      }
    }
  }
  // end

  // article
  func application(
    _ prices: BindableDictionary<String, Int>
  ) -> Application {
    let router = Router()

    router.get("events/{symbol}") { _, context in
      let symbol = try context.parameters.require("symbol")
      let price = prices.source(forKey: symbol).removeDuplicates()
      return Response(
        status: .ok,
        headers: [
          .contentType: "text/event-stream",
          .cacheControl: "no-store",
        ],
        body: ResponseBody { writer in
          // `write` waits for this client. Meanwhile the cell stores
          // nothing for it.
          let updates = price.updates().cancelOnGracefulShutdown()
          for try await update in updates {
            guard let cents = update.value else { continue }
            let event = "data: \(cents) \(update.skipped)\n\n"
            try await writer.write(ByteBuffer(string: event))
          }
          try await writer.finish(nil)
        }
      )
    }
    router.get("metrics") { _, _ in "observers \(prices.observerCount)\n" }

    var app = Application(
      router: router,
      configuration: .init(address: .hostname("127.0.0.1", port: 8080))
    )
    app.addServices(Market(prices: prices, clock: ContinuousClock()))
    return app
  }
  // end

  // article
  final class Votes: Sendable {
    private let shards: [BindableActor<[String: Int]>]
    let total: AnyStateSource<Int>  // one instant of all shards

    init(shards count: Int = 8) {
      shards = (0..<count).map { _ in BindableActor([:]) }
      let totals = shards.map { $0.map { $0.values.reduce(0, +) } }
      total = combineLatest(totals).map { $0.reduce(0, +) }.erased()
    }

    private func shard(of key: String) -> BindableActor<[String: Int]> {
      shards[Int(key.hashValue.magnitude % UInt(shards.count))]
    }

    func add(_ count: Int, for key: String) {
      shard(of: key).modify { $0[key, default: 0] += count }
    }

    func count(for key: String) -> some StateSource<Int> {
      shard(of: key).map { $0[key] ?? 0 }
    }
  }
  // end

  // article
  enum HangUp {
    // Otherwise the signal ends the process. Only once: on Linux, Dispatch
    // sets a handler of its own later.
    private static let isIgnored: Void = { _ = signal(SIGHUP, SIG_IGN) }()

    static func reloads(
      _ config: BindableActor<Config>,
      by load: @escaping @Sendable () throws -> Config,
      log: @escaping @Sendable (String) -> Void
    ) -> any DispatchSourceSignal {
      isIgnored
      let hangUps = DispatchSource.makeSignalSource(
        signal: SIGHUP,
        queue: .global()
      )
      hangUps.setEventHandler {
        do {
          config.sendIfChanged(try load())
        } catch {
          log("the configuration stays as it was: \(error)")
        }
      }
      hangUps.resume()
      return hangUps  // keep it: it ends when it is released
    }
  }
  // end

  func run(
    _ config: BindableActor<Config>,
    _ serve: @escaping @Sendable (Config) async throws -> Void
  ) async throws {
    // article
    try await config.forEachLatest { config in
      try await serve(config)  // until the configuration changes
    }
    // end
  }

  // article
  struct Metrics: Sendable {
    let prices: BindableActor<Int>
    let save: AsyncAction<String, Void>
    let skipped = BindableActor(0)

    func serve(_ client: Client) async {
      for await update in prices.updates() {
        skipped.modify { $0 += update.skipped }
        await client.write("\(update.value)")
      }
    }

    var page: String {
      """
      price_readers \(prices.observerCount)
      price_updates \(prices.version)
      price_updates_skipped \(skipped.value)
      saves_waiting \(save.waitingCount)
      """
    }

    /// For an exporter that pushes: the newest price, if it is a new one.
    func export(
      clock: some Clock<Duration>,
      to push: @escaping @Sendable (Int) -> Void
    ) -> BindingToken {
      prices.sample(every: .seconds(10), clock: clock)
        .observe(on: .queue(.global())) { push($0) }
    }
  }
  // end
}
