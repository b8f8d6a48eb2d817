import ActorBindings
import WebServer

extension Fleet {
  /// Returns a server that shows the processes, and has an address for each button.
  func server() -> Server {
    let events = columns.removeDuplicates()
    return Server { [self] request in
      let isReading = request.method == "GET" || request.method == "HEAD"
      switch request.path {
      case "/" where isReading: return .response(page(over: place))
      case "/events" where isReading:
        return .events { client in
          for await update in events.updates() {
            let event = ServerSentEvent("columns", id: update.version, data: Self.json(update.value))
            guard await client.send(event.bytes) else { return }
          }
        }
      case "/", "/events": return .response(Response(refusing: .refusal(of: request.method)))
      default: break
      }
      guard let action = Action(rawValue: String(request.path.dropFirst())) else {
        return .response(Response(refusing: .notFound))
      }
      guard request.method == "POST" else {
        return .response(Response(refusing: .refusal(of: request.method), allowed: "POST"))
      }
      let name = request.values(of: "process").first ?? ""
      return .action { [self] in
        let problem = perform(action, on: name)
        return Response(problem == nil ? .ok : .badRequest, body: "\(problem ?? "done")\n")
      }
    }
  }

  private static func json(_ columns: some Sequence<(key: String, value: Column)>) -> String {
    let fields = columns.sorted { $0.key < $1.key }.map { name, column in
      let status = column.status.flatMap { try? $0.line() } ?? "null"
      let phase = column.phase.rawValue.json
      return "{\"name\":\(name.json),\"phase\":\(phase),\"isCut\":\(column.isCut),\"status\":\(status)}"
    }
    return "[\(fields.joined(separator: ","))]"
  }
}
