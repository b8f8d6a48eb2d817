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
    // By bytes: characters took as long as a twentieth of the processor time of a write.
    let scheme = "http://"
    guard Substring(url.utf8.prefix(scheme.utf8.count)).lowercased() == scheme else {
      throw .notSent("\(url) does not begin with \(scheme)")
    }
    let rest = url.utf8.dropFirst(scheme.utf8.count)
    let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
    guard let authority = String(rest[..<end]), let target = String(rest[end...]),
      let (host, port) = Self.parts(of: rest[..<end])
    else { throw .notSent("\(url) is not a URL") }
    self.host = host
    self.port = port
    self.authority = authority
    var head = "POST \(target.isEmpty ? "/" : target) HTTP/1.1\r\nHost: \(authority)\r\n"
    head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
    var lines = 4
    for (name, value) in headers {
      head += "\(name): \(value)\r\n"
      lines += 1
    }
    // Otherwise a header could add headers or requests of its own.
    if head.utf8.count(where: { $0 < 0x20 || $0 == 0x7f }) != 2 * lines {
      throw .notSent("a header or the URL of a request contains a control character")
    }
    head += "\r\n"
    var bytes: [UInt8] = []
    bytes.reserveCapacity(head.utf8.count + body.count)
    bytes += head.utf8
    bytes += body
    self.bytes = bytes
  }

  private static func parts(of authority: Substring.UTF8View) -> (host: String, port: UInt16)? {
    var host = authority
    var port: UInt16 = 80
    if let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") {
      guard let digits = String(authority[colon...].dropFirst()), let number = UInt16(digits) else {
        return nil
      }
      host = authority[..<colon]
      port = number
    }
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(UInt8(ascii: ":")) {
      return nil
    }
    if host.isEmpty || host.contains(where: { "@?# ".utf8.contains($0) }) { return nil }
    return String(host).map { ($0, port) }
  }
}
