/// An answer by which etcd says that it did not do what it was asked.
package struct EtcdRejection: Hashable, Sendable {
  /// The reason, as far as this library tells reasons apart.
  package enum Reason: Hashable, Sendable {
    /// The request has no token, or the token is no longer good.
    case token
    /// The user name or the password is wrong.
    case credentials
    /// The cluster has no users: requests need no token.
    case authenticationIsOff
    /// The user may not do this.
    case permission
    /// The lease does not exist, or has ended.
    case leaseNotFound
    /// The store no longer has the revision.
    case compacted
    /// The request has too many bytes.
    case tooLarge
    /// The space for the database is used up. The write that used it up may be applied.
    case noSpace
    /// The ttl of a lease is too long.
    case ttlTooLong
    /// The request is wrong in another way.
    case invalid
    /// Another reason: trying again may help.
    case other
  }

  /// The number of the error by which gRPC knows it.
  package var code: Int?
  /// What etcd says.
  package var message: String

  package var reason: Reason {
    let reasons: [(String, Reason)] = [
      ("invalid auth token", .token),
      ("user name is empty", .token),
      ("revision of auth store is old", .token),
      ("authentication failed", .credentials),
      ("authentication is not enabled", .authenticationIsOff),
      ("permission denied", .permission),
      ("requested lease not found", .leaseNotFound),
      ("required revision has been compacted", .compacted),
      ("request is too large", .tooLarge),
      ("database space exceeded", .noSpace),
      ("too large lease TTL", .ttlTooLong),
    ]
    if let known = reasons.first(where: { message.contains($0.0) }) { return known.1 }
    switch code {
    case 16: return .token
    case 7: return .permission
    case 3, 12: return .invalid
    default: return .other
    }
  }
}

extension EtcdRejection: JSONReadable {
  // The body of an answer has `code`; a line of a stream has `grpc_code`.
  init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
    var (code, streamCode): (UInt64?, UInt64?)
    var message: String?
    try reader.object { name, reader throws(JSONReader.Malformed) in
      switch name {
      case "message": message = try reader.string()
      case "code": code = try reader.number()
      case "grpc_code": streamCode = try reader.number()
      default: return false
      }
      return true
    }
    guard let message else { throw JSONReader.Malformed() }
    self.message = message
    self.code = (code ?? streamCode).map { Int(clamping: $0) }
  }
}
