/// A request by POST in the form of HTTP/1.1.
package struct HTTPRequest: Hashable, Sendable {
  /// The host, without the brackets of an IPv6 address.
  package let host: String
  package let port: UInt16
  /// Host and port as the URL has them.
  package let authority: String
  package let bytes: [UInt8]

  /// Creates a request to an `http` URL.
  ///
  /// - Throws: ``EtcdTransportError/notSent(_:)`` if the URL is none, or a header contains the end of a line.
  package init(_ url: String, body: [UInt8], headers: [String: String]) throws(EtcdTransportError) {
    let scheme = "http://"
    guard url.lowercased().hasPrefix(scheme) else { throw .notSent("\(url) does not begin with \(scheme)") }
    let rest = url.dropFirst(scheme.count)
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    let target = end == rest.endIndex ? "/" : rest[end...]
    guard let (host, port) = Self.parts(of: rest[..<end]) else { throw .notSent("\(url) is not a URL") }
    self.host = host
    self.port = port
    authority = String(rest[..<end])
    var lines = [
      "POST \(target) HTTP/1.1", "Host: \(authority)", "Content-Type: application/json",
      "Content-Length: \(body.count)",
    ]
    for (name, value) in headers { lines.append("\(name): \(value)") }
    // Otherwise a header could add headers or requests of its own.
    if lines.contains(where: { $0.utf8.contains { $0 < 0x20 || $0 == 0x7f } }) {
      throw .notSent("a header or the URL of a request contains a control character")
    }
    lines += ["", ""]
    bytes = Array(lines.joined(separator: "\r\n").utf8) + body
  }

  private static func parts(of authority: Substring) -> (host: String, port: UInt16)? {
    var host = authority
    var port: UInt16 = 80
    if let colon = authority.lastIndex(of: ":"), authority.last != "]" {
      guard let number = UInt16(authority[colon...].dropFirst()) else { return nil }
      host = authority[..<colon]
      port = number
    }
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    if host.isEmpty || host.contains(where: { "@?# ".contains($0) }) { return nil }
    return (String(host), port)
  }
}
