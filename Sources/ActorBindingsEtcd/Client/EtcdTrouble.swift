import ActorBindingsSharing

/// A reason why a request to etcd has no result.
package enum EtcdTrouble: Error, Hashable, Sendable {
  /// The request was not carried out, because etcd did not get it.
  case notApplied(String)
  /// The request was not sent, because this process or its machine lacks something. That says nothing of the endpoint.
  case noResources(String)
  /// The request may have been carried out.
  case unanswered(String)
  /// etcd did not do what the request asks for, and said why.
  case rejected(EtcdRejection)
  /// The store no longer has the changes that a watch asks for.
  case historyLost
  /// The answer to a read has more than this number of bytes.
  case answerTooLarge(Int)
}

extension EtcdTrouble {
  /// Returns what the trouble means for the caller of a store.
  ///
  /// - Parameters:
  ///   - key: The key or prefix that the request is about; nil for a request about none.
  ///   - isWrite: Whether it matters if the request was carried out.
  ///   - store: The name of the store.
  ///   - user: The name by which requests log in; nil if they do not.
  func storeError(key: String?, isWrite: Bool, store: String, user: String?) -> StoreError {
    switch self {
    case .notApplied(let message), .noResources(let message): .unavailable("\(store): \(message)")
    case .unanswered(let message) where isWrite: .uncertain("\(store): \(message)")
    case .unanswered(let message): .unavailable("\(store): \(message)")
    case .historyLost: .historyLost
    case .answerTooLarge(let limit):
      .refused(
        """
        an entry of "\(key ?? "")" of \(store) is too large to read, because its answer has more than \(limit) bytes: \
        divide the value among several keys
        """
      )
    case .rejected(let rejection):
      Self.storeError(rejection, key.map { "\"\($0)\"" } ?? "leases", store, user)
    }
  }

  private static func storeError(
    _ rejection: EtcdRejection,
    _ key: String,
    _ store: String,
    _ user: String?
  ) -> StoreError {
    let said = "(etcd says: \(rejection.message))"
    switch rejection.reason {
    case .leaseNotFound: return .leaseEnded
    case .compacted: return .historyLost
    case .token, .authenticationIsOff:
      guard let user else {
        return .refused("\(store) gives \(key) only to users: pass credentials to EtcdStore \(said)")
      }
      return .unavailable("\(store) refuses each new token of the user \"\(user)\" \(said)")
    case .credentials:
      return .refused(
        """
        \(store) refuses the password of the user "\(user ?? "")", who asks for \(key): correct the credentials of \
        EtcdStore \(said)
        """
      )
    case .permission:
      return .refused(
        """
        \(store) does not let the user "\(user ?? "")" read or write \(key): grant a role of the user the permission \
        to do both \(said)
        """
      )
    case .tooLarge:
      return .refused(
        """
        the value of \(key) is too large for \(store): divide the value among several keys, or raise \
        --max-request-bytes of etcd \(said)
        """
      )
    case .noSpace:
      return .refused(
        """
        \(store) has no space left for \(key): compact its history and defragment its members, or raise \
        --quota-backend-bytes of etcd, and then disarm its alarm NOSPACE \(said)
        """
      )
    case .ttlTooLong:
      return .refused("\(store) does not grant a lease with this ttl: use a shorter one \(said)")
    case .invalid:
      return .refused("\(store) does not accept a request about \(key): check the version of etcd \(said)")
    case .other: return .unavailable("\(store) did not serve \(key) \(said)")
    }
  }
}
