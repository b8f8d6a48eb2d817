import Foundation

/// The requests of etcd's JSON gateway. Keys and values are in base64.
enum EtcdRequest {
  /// `/v3/kv/range`. A range that is not `serializable` is linearizable: it contains each acknowledged write.
  struct Range: Hashable, Encodable {
    var key: Data
    var end: Data?
    var limit: EtcdNumber?
    /// The revision to read at; nil for the newest.
    var revision: EtcdNumber?

    private enum CodingKeys: String, CodingKey {
      case key, limit, revision
      case end = "range_end"
    }
  }

  /// `/v3/kv/txn`.
  struct Transaction: Hashable, Encodable {
    var compare: [Comparison]
    var success: [Operation]
    var failure: [Operation]
  }

  /// A condition of a transaction: the entry was last written at a revision.
  ///
  /// etcd counts the last write of an entry that does not exist as revision 0.
  struct Comparison: Hashable, Encodable {
    var key: Data
    var modRevision: EtcdNumber

    private enum CodingKeys: String, CodingKey {
      case key, target, result
      case modRevision = "mod_revision"
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(key, forKey: .key)
      try container.encode("MOD", forKey: .target)
      try container.encode("EQUAL", forKey: .result)
      try container.encode(modRevision, forKey: .modRevision)
    }
  }

  /// One operation of a transaction.
  enum Operation: Hashable, Encodable {
    case range(key: Data)
    case put(key: Data, value: Data, lease: String?)
    case delete(key: Data)

    private enum CodingKeys: String, CodingKey {
      case range = "request_range"
      case put = "request_put"
      case delete = "request_delete_range"
    }

    private enum FieldKeys: String, CodingKey {
      case key, value, lease
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .range(let key):
        var fields = container.nestedContainer(keyedBy: FieldKeys.self, forKey: .range)
        try fields.encode(key, forKey: .key)
      case .put(let key, let value, let lease):
        var fields = container.nestedContainer(keyedBy: FieldKeys.self, forKey: .put)
        try fields.encode(key, forKey: .key)
        try fields.encode(value, forKey: .value)
        try fields.encodeIfPresent(lease, forKey: .lease)
      case .delete(let key):
        var fields = container.nestedContainer(keyedBy: FieldKeys.self, forKey: .delete)
        try fields.encode(key, forKey: .key)
      }
    }
  }

  /// `/v3/watch`.
  struct Watch: Hashable, Encodable {
    var create: Create

    private enum CodingKeys: String, CodingKey {
      case create = "create_request"
    }

    struct Create: Hashable, Encodable {
      var key: Data
      var end: Data?
      /// The revision of the first change.
      var start: EtcdNumber
      /// Whether etcd sends an empty answer now and then, while there are no changes.
      var progress = true
      /// Whether etcd divides large answers: without this one answer can have a thousand large values.
      var fragment = true

      private enum CodingKeys: String, CodingKey {
        case key, fragment
        case end = "range_end"
        case start = "start_revision"
        case progress = "progress_notify"
      }
    }
  }

  /// `/v3/lease/grant`.
  struct Grant: Hashable, Encodable {
    /// In seconds.
    var ttl: EtcdNumber

    private enum CodingKeys: String, CodingKey {
      case ttl = "TTL"
    }
  }

  /// `/v3/lease/keepalive` and `/v3/lease/revoke`.
  struct Lease: Hashable, Encodable {
    var id: String

    private enum CodingKeys: String, CodingKey {
      case id = "ID"
    }
  }

  /// `/v3/auth/authenticate`.
  struct Authenticate: Hashable, Encodable {
    var name: String
    var password: String
  }
}

extension EtcdRequest {
  /// The request as JSON.
  static func body(_ request: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(request))
  }
}
