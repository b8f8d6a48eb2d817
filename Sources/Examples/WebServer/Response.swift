/// The status of an answer.
package struct Status: Sendable, Equatable {
  package let code: Int
  package let reason: String

  package static let ok = Status(code: 200, reason: "OK")
  package static let badRequest = Status(code: 400, reason: "Bad Request")
  package static let notFound = Status(code: 404, reason: "Not Found")
  package static let methodNotAllowed = Status(code: 405, reason: "Method Not Allowed")
  package static let foreignOrigin = Status(code: 403, reason: "Forbidden")
  package static let misdirected = Status(code: 421, reason: "Misdirected Request")
  package static let tooSlow = Status(code: 408, reason: "Request Timeout")
  package static let bodyRefused = Status(code: 413, reason: "Content Too Large")
  package static let targetTooLong = Status(code: 414, reason: "URI Too Long")
  package static let headTooLarge = Status(code: 431, reason: "Request Header Fields Too Large")
  package static let unknownMethod = Status(code: 501, reason: "Not Implemented")
  package static let unknownCoding = Status(code: 501, reason: "Not Implemented")
  package static let full = Status(code: 503, reason: "Service Unavailable")
  package static let unknownVersion = Status(code: 505, reason: "HTTP Version Not Supported")
}

extension Status {
  /// Returns the status for a method that a path does not allow. A method that HTTP defines gets a different status from
  /// an unknown method.
  package static func refusal(of method: String) -> Status {
    let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]
    return known.contains(method) ? .methodNotAllowed : .unknownMethod
  }
}

/// A complete answer, after which the connection is closed.
package struct Response: Sendable {
  package var status = Status.ok
  package var type = "text/plain; charset=utf-8"
  package var headers: [(name: String, value: String)] = []
  package var body = ""

  package init(_ status: Status = .ok, type: String = "text/plain; charset=utf-8", body: String) {
    self.status = status
    self.type = type
    self.body = body
  }

  /// Makes an answer that refuses a request with a status.
  ///
  /// - Parameter allowed: The methods that the path allows, for the status 405.
  package init(refusing status: Status, allowed: String = "GET, HEAD") {
    self.init(status, body: "\(status.code) \(status.reason)\n")
    if status == .methodNotAllowed { headers.append(("Allow", allowed)) }
  }

  /// Returns the bytes of the answer. Leaves out the body for `HEAD`.
  package func bytes(to request: Request) -> [UInt8] {
    let body = Array(body.utf8)
    var head =
      "HTTP/1.1 \(status.code) \(status.reason)\r\nDate: \(httpDate())\r\nContent-Type: \(type)\r\n"
      + "Content-Length: \(body.count)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    head += "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + (request.method == "HEAD" ? [] : body)
  }
}

/// How a server answers a request.
package enum Answer: Sendable {
  case response(Response)
  /// Sends events until `follow` returns. The task that runs `follow` is cancelled when the client has disconnected.
  case events(follow: @Sendable (Client) async -> Void)
  /// Runs `act` in a task of its own, and sends its answer. The server runs `act` only if no page of another site makes
  /// the request.
  case action(act: @Sendable () async -> Response)
}
