/// A client's request: the parts that this server uses.
package struct Request: Sendable, Equatable {
  package var method: String
  package var path: String
  /// The parameters behind the `?`, decoded, in order.
  package var query: [Parameter]
  /// The host that the client names, with the port if the client names one. Nil for HTTP/1.0 without the header.
  package var host: String?
  /// The site whose page makes the request, as browsers tell it for requests that change something.
  package var origin: String?
  package var body = Body.none
  /// Whether the client waits for the server's consent before it sends the body.
  package var expectsContinue = false
  /// The `id:` of the last event that an `EventSource` received before its connection broke.
  package var lastEventID: UInt64?

  /// How the end of the request's body is found.
  package enum Body: Sendable, Equatable {
    case none
    case counted(Int)
    case chunked
  }

  package struct Parameter: Sendable, Equatable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(
    method: String,
    path: String,
    query: [Parameter] = [],
    host: String? = nil,
    lastEventID: UInt64? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.host = host
    self.lastEventID = lastEventID
  }

  /// Whether the client names this machine. A page of another site can point its own host name to 127.0.0.1; then the
  /// browser names that host.
  package var namesThisMachine: Bool {
    guard let host else { return true }
    let name = host.hasSuffix("]") ? host[...] : host.prefix(upTo: host.lastIndex(of: ":") ?? host.endIndex)
    return ["127.0.0.1", "localhost", "[::1]"].contains(name.lowercased())
  }

  /// Whether a page of another site makes the request.
  package var isFromAnotherSite: Bool {
    guard let origin else { return false }
    return origin != "http://\(host ?? "")"
  }

  /// Returns all values of one parameter.
  package func values(of name: String) -> [String] {
    query.filter { $0.name == name }.map(\.value)
  }
}

extension Request {
  /// Splits a target in origin form, such as `/events?symbol=ACME`, or in absolute form, such as
  /// `http://127.0.0.1/events`. Returns nil if the target has another form.
  init?(method: String, target: [UInt8]) {
    var target = target[...]
    let scheme = "http://"
    var authority: String?
    if String(decoding: target.prefix(scheme.utf8.count), as: UTF8.self).lowercased() == scheme {
      target = target.dropFirst(scheme.utf8.count)
      let end = target.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? target.endIndex
      guard end > target.startIndex else { return nil }
      authority = String(decoding: target[..<end], as: UTF8.self)
      target = target[end...]
      if target.first != UInt8(ascii: "/") { target = [UInt8(ascii: "/")] + target }
    }
    guard target.first == UInt8(ascii: "/") else { return nil }
    let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = decoded(parts[0]) else { return nil }
    self.init(method: method, path: path, host: authority)
    guard parts.count > 1 else { return }
    for pair in parts[1].split(separator: UInt8(ascii: "&")) {
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = decoded(sides[0], isForm: true),
        let value = decoded(sides.count > 1 ? sides[1] : [], isForm: true)
      else { return nil }
      query.append(Parameter(name: name, value: value))
    }
  }
}

/// Decodes `%2F` and the like, and in a form's parameter `+`, which stands for a space. Returns nil if an escape is
/// malformed, or the result is not text.
private func decoded(_ bytes: ArraySlice<UInt8>, isForm: Bool = false) -> String? {
  var plain: [UInt8] = []
  var rest = bytes
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      plain.append(isForm && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      continue
    }
    guard let high = rest.popFirst()?.hexValue, let low = rest.popFirst()?.hexValue else { return nil }
    plain.append(high << 4 | low)
  }
  return String(validating: plain, as: UTF8.self)
}

extension UInt8 {
  var hexValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
