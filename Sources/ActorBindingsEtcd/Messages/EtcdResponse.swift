import Foundation

/// The answers of etcd's JSON gateway. A field that is zero, false or empty is left out.
enum EtcdResponse {
  struct Header: Hashable, Decodable {
    /// The revision of the store. The answer to a watch of compacted changes has none.
    var revision: EtcdNumber?
  }

  struct KeyValue: Hashable, Decodable {
    var key: Data
    var value: Data?
    var modRevision: EtcdNumber?

    private enum CodingKeys: String, CodingKey {
      case key, value
      case modRevision = "mod_revision"
    }
  }

  /// The answer to `/v3/kv/range`.
  struct Range: Hashable, Decodable {
    var header: Header
    var entries: [KeyValue]?
    /// Whether there are more entries than the limit of the request.
    var more: Bool?

    private enum CodingKeys: String, CodingKey {
      case header, more
      case entries = "kvs"
    }
  }

  /// The answer to `/v3/kv/txn`.
  struct Transaction: Hashable, Decodable {
    var header: Header
    var succeeded: Bool?
    var responses: [Operation]?

    struct Operation: Hashable, Decodable {
      var range: Found?

      private enum CodingKeys: String, CodingKey {
        case range = "response_range"
      }
    }

    struct Found: Hashable, Decodable {
      var entries: [KeyValue]?

      private enum CodingKeys: String, CodingKey {
        case entries = "kvs"
      }
    }
  }

  /// A line of the answer to `/v3/watch`.
  struct Watch: Hashable, Decodable {
    var header: Header?
    var created: Bool?
    var canceled: Bool?
    var compactRevision: EtcdNumber?
    var cancelReason: String?
    var events: [Event]?

    private enum CodingKeys: String, CodingKey {
      case header, created, canceled, events
      case compactRevision = "compact_revision"
      case cancelReason = "cancel_reason"
    }

    struct Event: Hashable, Decodable {
      /// `DELETE` for a removal. The type of a put is zero, and so left out.
      var type: String?
      var entry: KeyValue

      private enum CodingKeys: String, CodingKey {
        case type
        case entry = "kv"
      }
    }
  }

  /// The answer to `/v3/lease/grant`, and a line of the answer to `/v3/lease/keepalive`.
  struct Lease: Hashable, Decodable {
    var id: String
    /// In seconds. The answer to the renewal of a lease that has ended has none.
    var ttl: EtcdNumber?

    private enum CodingKeys: String, CodingKey {
      case id = "ID"
      case ttl = "TTL"
    }
  }

  /// The answer to `/v3/lease/revoke`.
  struct Revoke: Hashable, Decodable {
    var header: Header
  }

  /// The answer to `/v3/auth/authenticate`.
  struct Authenticate: Hashable, Decodable {
    var token: String
  }

  /// A line of an answer that is a stream: a result or a rejection.
  struct Line<Result: Decodable>: Decodable {
    var result: Result?
    var error: EtcdRejection?
  }
}

extension EtcdResponse {
  /// Decodes an answer; nil if it is not what etcd answers.
  static func decode<Answer: Decodable>(_ type: Answer.Type, from bytes: [UInt8]) -> Answer? {
    try? JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Returns the beginning of an answer that cannot be decoded, in one line, for a message.
  static func beginning(of bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix(100), as: UTF8.self)
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if line.isEmpty { return "an empty answer" }
    return "the answer \"\(line)\(bytes.count > 100 ? "…" : "")\""
  }
}
