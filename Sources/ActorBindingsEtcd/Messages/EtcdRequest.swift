/// The requests of etcd's JSON gateway. Keys and values are in base64, and numbers of 64 bits are strings.
enum EtcdRequest {
  /// `/v3/kv/range`. A range that is not `serializable` is linearizable: it contains each acknowledged write.
  struct Range: Hashable, JSONWritable {
    var key: [UInt8]
    var end: [UInt8]?
    var limit: UInt64?
    /// The revision to read at; nil for the newest.
    var revision: UInt64?

    func write(to writer: inout JSONWriter) {
      writer.object { object in
        object.field("key", base64: key)
        if let limit { object.field("limit", limit) }
        if let end { object.field("range_end", base64: end) }
        if let revision { object.field("revision", revision) }
      }
    }
  }

  /// `/v3/kv/txn`.
  struct Transaction: Hashable, JSONWritable {
    var compare: [Comparison]
    var success: [Operation]
    var failure: [Operation]

    func write(to writer: inout JSONWriter) {
      writer.object { object in
        object.field("compare") { $0.array(compare) }
        object.field("failure") { $0.array(failure) }
        object.field("success") { $0.array(success) }
      }
    }
  }

  /// A condition of a transaction: the entry was last written at a revision.
  ///
  /// etcd counts the last write of an entry that does not exist as revision 0.
  struct Comparison: Hashable, JSONWritable {
    var key: [UInt8]
    var modRevision: UInt64

    func write(to writer: inout JSONWriter) {
      writer.object { object in
        object.field("key", base64: key)
        object.field("mod_revision", modRevision)
        object.field("result", "EQUAL")
        object.field("target", "MOD")
      }
    }
  }

  /// One operation of a transaction.
  enum Operation: Hashable, JSONWritable {
    case range(key: [UInt8])
    case put(key: [UInt8], value: [UInt8], lease: String?)
    case delete(key: [UInt8])

    func write(to writer: inout JSONWriter) {
      writer.object { object in
        switch self {
        case .range(let key):
          object.field("request_range") { $0.object { $0.field("key", base64: key) } }
        case .put(let key, let value, let lease):
          object.field("request_put") {
            $0.object { fields in
              fields.field("key", base64: key)
              if let lease { fields.field("lease", lease) }
              fields.field("value", base64: value)
            }
          }
        case .delete(let key):
          object.field("request_delete_range") { $0.object { $0.field("key", base64: key) } }
        }
      }
    }
  }

  /// `/v3/watch`.
  struct Watch: Hashable, JSONWritable {
    var key: [UInt8]
    var end: [UInt8]?
    /// The revision of the first change.
    var start: UInt64

    func write(to writer: inout JSONWriter) {
      writer.object { object in
        object.field("create_request") {
          $0.object { fields in
            // Without this one answer can have a thousand large values.
            fields.field("fragment", true)
            fields.field("key", base64: key)
            // An empty answer comes now and then, while there are no changes.
            fields.field("progress_notify", true)
            if let end { fields.field("range_end", base64: end) }
            fields.field("start_revision", start)
          }
        }
      }
    }
  }

  /// `/v3/lease/grant`.
  struct Grant: Hashable, JSONWritable {
    /// In seconds.
    var ttl: UInt64

    func write(to writer: inout JSONWriter) {
      writer.object { $0.field("TTL", ttl) }
    }
  }

  /// `/v3/lease/keepalive` and `/v3/lease/revoke`.
  struct Lease: Hashable, JSONWritable {
    var id: String

    func write(to writer: inout JSONWriter) {
      writer.object { $0.field("ID", id) }
    }
  }

  /// `/v3/auth/authenticate`.
  struct Authenticate: Hashable, JSONWritable {
    var name: String
    var password: String

    func write(to writer: inout JSONWriter) {
      writer.object { object in
        object.field("name", name)
        object.field("password", password)
      }
    }
  }
}

extension EtcdRequest {
  /// The request as JSON.
  static func body(_ request: some JSONWritable) -> [UInt8] {
    var writer = JSONWriter()
    request.write(to: &writer)
    return writer.bytes
  }
}
