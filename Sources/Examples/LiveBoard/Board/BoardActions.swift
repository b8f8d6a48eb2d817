import ActorBindings
import WebServer

/// What the buttons of the page do. Each is a `POST` to a path.
struct BoardActions: Sendable {
  private let services: Services
  private let crowd: Crowd

  init(_ services: Services, _ crowd: Crowd) {
    self.services = services
    self.crowd = crowd
  }

  /// Returns the answer to a request for an action. Refuses paths that it does not know.
  func answer(to request: Request) -> Answer {
    let argument = request.values(of: "is").first ?? ""
    let act: @Sendable () throws -> Void
    switch request.path {
    case "/crowd/add":
      guard let port = request.host?.split(separator: ":").last.flatMap({ UInt16($0) }) else {
        return .response(Response(refusing: .badRequest))
      }
      act = { [crowd] in try crowd.add(port: port) }
    case "/crowd/kill": act = { [crowd] in crowd.kill() }
    case "/rate":
      guard let rate = Int(argument), (0...Prices.highestRate).contains(rate) else {
        return .response(Response(refusing: .badRequest))
      }
      act = { [services] in services.prices.rate.send(rate) }
    case "/stop", "/start":
      guard services.running.value[argument] != nil else {
        return .response(Response(refusing: .badRequest))
      }
      let isStart = request.path == "/start"
      act = { [services] in isStart ? services.start(argument) : services.stop(argument) }
    default: return .response(Response(refusing: .notFound))
    }
    guard request.method == "POST" else {
      return .response(Response(refusing: .refusal(of: request.method), allowed: "POST"))
    }
    return .action {
      do {
        try act()
        return Response(body: "done\n")
      } catch {
        return Response(.full, body: "\(error)\n")
      }
    }
  }
}
