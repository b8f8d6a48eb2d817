import ActorBindings
import Foundation
import Loopback

/// An HTTP/1.1 server in the test process that answers from a script, and behaves badly if the script says so.
final class BadServer: Sendable {
  struct Request: Hashable, Sendable {
    var path: String
    /// In lower case, with the values as they came.
    var headers: [String: String]
    var body: String
  }

  enum Step: Sendable {
    /// A whole answer.
    case answer(Int, String)
    /// The head of an answer that goes on.
    case stream
    /// A chunk of an answer that goes on.
    case chunk(String)
    /// Bytes of an answer that goes on, each in a chunk of its own.
    case oneByOne(String)
    /// Bytes as they are.
    case raw(String)
    /// Waits until there are as many requests.
    case awaitRequests(Int)
    /// Nothing until the client closes the connection.
    case hang
    /// Closes the connection.
    case close
    /// Ends the server, and then closes the connection.
    case die
  }

  typealias Script = @Sendable (Request, Int) -> [Step]

  let port: UInt16
  /// The requests so far.
  let requests = BindableActor<[Request]>([])
  /// The number of connections that the client has made.
  let connections = BindableActor(0)
  /// The number of connections that the client has closed while a script waited for that.
  let hangsEnded = BindableActor(0)

  private let listener: Wire
  private let wires = BindableActor<[Wire]>([])
  private let script: Script
  private let requestCame = NSCondition()

  var url: String { "http://127.0.0.1:\(port)" }

  /// Starts a server.
  ///
  /// - Parameter script: A function that says how to answer a request, from the request and its number.
  init(_ script: @escaping Script) throws {
    self.script = script
    listener = try Wire.listening()
    port = listener.port
    Thread.detachNewThread { [self] in
      // More connections than any test needs.
      for _ in 0..<1000 {
        guard let wire = listener.accepted() else { return }
        wires.modify { $0.append(wire) }
        connections.modify { $0 += 1 }
        Thread.detachNewThread { self.serve(wire) }
      }
    }
  }

  /// Ends the server and its connections.
  func end() {
    listener.end()
    for wire in wires.value { wire.end() }
  }

  private func serve(_ wire: Wire) {
    defer { wire.end() }
    while let request = Self.request(on: wire) {
      let number = requests.modify { requests in
        requests.append(request)
        return requests.count
      }
      requestCame.withLock { requestCame.broadcast() }
      for step in script(request, number) {
        guard take(step, on: wire) else { return }
      }
    }
  }

  /// Returns whether the connection goes on.
  private func take(_ step: Step, on wire: Wire) -> Bool {
    switch step {
    case .answer(let status, let body):
      let head =
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
      return wire.write(Array((head + body).utf8))
    case .stream:
      return wire.write(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
    case .chunk(let text):
      return wire.write(Self.chunk(Array(text.utf8)))
    case .oneByOne(let text):
      return text.utf8.allSatisfy { wire.write(Self.chunk([$0])) }
    case .raw(let text):
      return wire.write(Array(text.utf8))
    case .awaitRequests(let count):
      requestCame.withLock {
        while requests.value.count < count { requestCame.wait() }
      }
      return true
    case .hang:
      if wire.read() == [] { hangsEnded.modify { $0 += 1 } }
      return false
    case .close:
      return false
    case .die:
      listener.end()
      return false
    }
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }

  private static func request(on wire: Wire) -> Request? {
    var bytes = Data()
    let end = Data("\r\n\r\n".utf8)
    while true {
      if let range = bytes.range(of: end) {
        let head = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in head.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] = line[colon...].dropFirst().trimmingCharacters(
            in: .whitespaces
          )
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        if bytes.count - range.upperBound >= length {
          let path = head[0].split(separator: " ").dropFirst().first ?? ""
          let body = bytes[range.upperBound...].prefix(length)
          return Request(path: String(path), headers: headers, body: String(decoding: body, as: UTF8.self))
        }
      }
      guard let more = wire.read(), !more.isEmpty else { return nil }
      bytes += more
    }
  }
}
