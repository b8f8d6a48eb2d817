/// The transport of a store that was given none: sockets for `http` URLs, and `URLSession` for `https` URLs.
struct StandardTransport: EtcdTransport {
  private let plain = SocketTransport()
  // Only if an endpoint needs it, because each URLSession has threads.
  private let secure: URLSessionTransport?

  init(_ endpoints: [String]) {
    secure = endpoints.contains(where: Self.isSecure) ? URLSessionTransport() : nil
  }

  func send(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdAnswer {
    try await transport(for: url).send(url, body: body, headers: headers)
  }

  func stream(_ url: String, body: [UInt8], headers: [String: String]) async throws -> EtcdStream {
    try await transport(for: url).stream(url, body: body, headers: headers)
  }

  private func transport(for url: String) -> any EtcdTransport {
    if Self.isSecure(url), let secure { return secure }
    return plain
  }

  private static func isSecure(_ url: String) -> Bool {
    url.lowercased().hasPrefix("https:")
  }
}
