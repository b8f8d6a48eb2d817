import ActorBindings

// The types of ServiceLifecycle and Hummingbird that `RecipesForServersExamples` uses: the same names and shapes, and no
// network. This package has no dependencies.

// MARK: - ServiceLifecycle

protocol Service: Sendable {
  func run() async throws
}

/// The shutdown of the current task, which ServiceLifecycle keeps in a task-local value, too.
enum GracefulShutdown {
  @TaskLocal static var hasBegun = BindableActor(false)
}

/// Runs `body` in a task that is cancelled when the graceful shutdown begins.
func cancelWhenGracefulShutdown<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
  let hasBegun = GracefulShutdown.hasBegun
  let work = Task { await body() }
  let watch = Task {
    if await hasBegun.first(where: { $0 }) == true { work.cancel() }
  }
  let result = await work.value
  watch.cancel()
  return result
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The elements until the graceful shutdown begins.
  func cancelOnGracefulShutdown() -> AsyncThrowingStream<Element, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Element.self)
    let hasBegun = GracefulShutdown.hasBegun
    let work = Task {
      for try await element in self { continuation.yield(element) }
      continuation.finish()
    }
    let watch = Task {
      if await hasBegun.first(where: { $0 }) == true { work.cancel() }
    }
    continuation.onTermination = { _ in
      work.cancel()
      watch.cancel()
    }
    return stream
  }
}

// MARK: - Hummingbird

struct ByteBuffer: Sendable {
  let string: String
}

/// Receives the body of a response.
struct BodyWriter: Sendable {
  let written: Recorder<String>

  func write(_ buffer: ByteBuffer) async throws {
    written.record(buffer.string)
  }

  func finish(_ trailers: [String: String]?) async throws {
    written.record("end")
  }
}

struct ResponseBody: Sendable {
  let write: @Sendable (BodyWriter) async throws -> Void

  init(_ write: @escaping @Sendable (BodyWriter) async throws -> Void) {
    self.write = write
  }
}

struct Response: Sendable {
  enum Status: Sendable { case ok }

  enum Header: Sendable { case contentType, cacheControl }

  let status: Status
  let headers: [Header: String]
  let body: ResponseBody
}

protocol ResponseGenerator {
  var response: Response { get }
}

extension Response: ResponseGenerator {
  var response: Response { self }
}

extension String: ResponseGenerator {
  var response: Response {
    Response(status: .ok, headers: [:], body: ResponseBody { try await $0.write(ByteBuffer(string: self)) })
  }
}

struct RequestContext: Sendable {
  struct Parameters: Sendable {
    let values: [String: String]

    func require(_ name: String) throws -> String {
      guard let value = values[name] else { throw CancellationError() }
      return value
    }
  }

  let parameters: Parameters
}

final class Router: Sendable {
  typealias Handler = @Sendable (String, RequestContext) async throws -> any ResponseGenerator

  private let handlers = Guarded<[String: Handler]>([:])

  func get(_ path: String, _ handler: @escaping Handler) {
    handlers.withLock { $0[path] = handler }
  }

  /// Answers a request for a path with these parameters, and returns what it has written.
  func answer(_ path: String, _ parameters: [String: String] = [:], to written: Recorder<String>) async throws
  {
    guard let handler = handlers.withLock({ $0[path] }) else { throw CancellationError() }
    let context = RequestContext(parameters: .init(values: parameters))
    try await handler(path, context).response.body.write(BodyWriter(written: written))
  }
}

struct Application: Sendable {
  struct Configuration: Sendable {
    enum Address: Sendable { case hostname(String, port: Int) }

    let address: Address
  }

  let router: Router
  let configuration: Configuration
  var services: [any Service] = []

  init(router: Router, configuration: Configuration) {
    self.router = router
    self.configuration = configuration
  }

  mutating func addServices(_ service: any Service) {
    services.append(service)
  }
}
