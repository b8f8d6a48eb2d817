/// The answers of etcd's JSON gateway. A field that is zero, false or empty is left out.
enum EtcdResponse {
  struct Header: Hashable, JSONReadable {
    /// The revision of the store. The answer to a watch of compacted changes has none.
    var revision: UInt64?

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var revision: UInt64?
      try reader.object { name, reader throws(JSONReader.Malformed) in
        guard name == "revision" else { return false }
        revision = try reader.number()
        return true
      }
      self.revision = revision
    }
  }

  struct KeyValue: Hashable, JSONReadable {
    var key: [UInt8]
    var value: [UInt8]?
    var modRevision: UInt64?

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var (key, value): ([UInt8]?, [UInt8]?)
      var modRevision: UInt64?
      try reader.object { name, reader throws(JSONReader.Malformed) in
        switch name {
        case "key": key = try reader.base64()
        case "value": value = try reader.base64()
        case "mod_revision": modRevision = try reader.number()
        default: return false
        }
        return true
      }
      guard let key else { throw JSONReader.Malformed() }
      (self.key, self.value, self.modRevision) = (key, value, modRevision)
    }
  }

  /// The answer to `/v3/kv/range`.
  struct Range: Hashable, JSONReadable {
    var header: Header
    var entries: [KeyValue]
    /// Whether there are more entries than the limit of the request.
    var more: Bool

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var header: Header?
      var entries: [KeyValue] = []
      var more = false
      try reader.object { name, reader throws(JSONReader.Malformed) in
        switch name {
        case "header": header = try Header(from: &reader)
        case "kvs": entries = try reader.array(of: KeyValue.self)
        case "more": more = try reader.bool()
        default: return false
        }
        return true
      }
      guard let header else { throw JSONReader.Malformed() }
      (self.header, self.entries, self.more) = (header, entries, more)
    }
  }

  /// The answer to `/v3/kv/txn`.
  struct Transaction: Hashable, JSONReadable {
    var header: Header
    var succeeded: Bool
    var responses: [Operation]

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var header: Header?
      var succeeded = false
      var responses: [Operation] = []
      try reader.object { name, reader throws(JSONReader.Malformed) in
        switch name {
        case "header": header = try Header(from: &reader)
        case "succeeded": succeeded = try reader.bool()
        case "responses": responses = try reader.array(of: Operation.self)
        default: return false
        }
        return true
      }
      guard let header else { throw JSONReader.Malformed() }
      (self.header, self.succeeded, self.responses) = (header, succeeded, responses)
    }

    /// The answer to one operation. That to a range has the entries that were found; its header is incomplete.
    struct Operation: Hashable, JSONReadable {
      var found: [KeyValue] = []

      init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
        var found: [KeyValue] = []
        try reader.object { name, reader throws(JSONReader.Malformed) in
          guard name == "response_range" else { return false }
          try reader.object { name, reader throws(JSONReader.Malformed) in
            guard name == "kvs" else { return false }
            found = try reader.array(of: KeyValue.self)
            return true
          }
          return true
        }
        self.found = found
      }
    }
  }

  /// The answer to `/v3/lease/grant`, and a line of the answer to `/v3/lease/keepalive`.
  struct Lease: Hashable, JSONReadable {
    var id: String
    /// In seconds. The answer to the renewal of a lease that has ended has none.
    var ttl: UInt64?

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var id: String?
      var ttl: UInt64?
      try reader.object { name, reader throws(JSONReader.Malformed) in
        switch name {
        case "ID": id = String(try reader.number())
        case "TTL": ttl = try reader.number()
        default: return false
        }
        return true
      }
      guard let id else { throw JSONReader.Malformed() }
      (self.id, self.ttl) = (id, ttl)
    }
  }

  /// The answer to `/v3/lease/revoke`.
  struct Revoke: Hashable, JSONReadable {
    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var header: Header?
      try reader.object { name, reader throws(JSONReader.Malformed) in
        guard name == "header" else { return false }
        header = try Header(from: &reader)
        return true
      }
      if header == nil { throw JSONReader.Malformed() }
    }
  }

  /// The answer to `/v3/auth/authenticate`.
  struct Authenticate: Hashable, JSONReadable {
    var token: String

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var token: String?
      try reader.object { name, reader throws(JSONReader.Malformed) in
        guard name == "token" else { return false }
        token = try reader.string()
        return true
      }
      guard let token else { throw JSONReader.Malformed() }
      self.token = token
    }
  }

  /// A line of an answer that is a stream: a result or a rejection.
  struct Line<Result: JSONReadable>: JSONReadable {
    var result: Result?
    var error: EtcdRejection?

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var result: Result?
      var error: EtcdRejection?
      try reader.object { name, reader throws(JSONReader.Malformed) in
        switch name {
        case "result": result = try Result(from: &reader)
        case "error": error = try EtcdRejection(from: &reader)
        default: return false
        }
        return true
      }
      (self.result, self.error) = (result, error)
    }
  }
}

extension EtcdResponse {
  /// Reads an answer; nil if it is not what etcd answers.
  static func decode<Answer: JSONReadable>(_ type: Answer.Type, from bytes: [UInt8]) -> Answer? {
    JSONReader.read(type, from: bytes)
  }

  /// Returns the beginning of an answer that cannot be read, in one line, for a message.
  static func beginning(of bytes: [UInt8]) -> String {
    let text = String(decoding: bytes.prefix(100), as: UTF8.self)
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if line.isEmpty { return "an empty answer" }
    return "the answer \"\(line)\(bytes.count > 100 ? "…" : "")\""
  }
}
