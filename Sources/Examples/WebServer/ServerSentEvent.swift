/// One event of a stream, as `EventSource` reads it.
package struct ServerSentEvent: Sendable {
  package var name: String
  package var id: UInt64?
  /// One line: these JSON values contain no line breaks.
  package var data: String

  package init(_ name: String, id: UInt64? = nil, data: String) {
    self.name = name
    self.id = id
    self.data = data
  }

  package var bytes: [UInt8] {
    Array("\(id.map { "id: \($0)\n" } ?? "")event: \(name)\ndata: \(data)\n\n".utf8)
  }

  /// A comment, which `EventSource` ignores. A proxy may close a connection on which nothing comes for too long.
  package static func comment(_ text: String) -> [UInt8] {
    Array(": \(text)\n\n".utf8)
  }

  /// The head of a stream of events. The stream ends with its connection. `X-Accel-Buffering` asks proxies not to hold
  /// events back.
  static func head() -> [UInt8] {
    Array(
      """
      HTTP/1.1 200 OK\r
      Date: \(httpDate())\r
      Content-Type: text/event-stream\r
      Cache-Control: no-store\r
      X-Accel-Buffering: no\r
      X-Content-Type-Options: nosniff\r
      Connection: close\r
      \r

      """.utf8
    )
  }

  /// The first line of a stream: when an `EventSource` that has lost its connection should connect again. The time is
  /// random, so that the clients of a server that starts again do not all connect at once.
  static func retry() -> [UInt8] {
    Array("retry: \(Int.random(in: 800...1_600))\n\n".utf8)
  }
}

extension String {
  /// This text as a string of JSON.
  package var json: String {
    var json = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}
