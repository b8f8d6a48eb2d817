extension EtcdResponse {
  /// A line of the answer to `/v3/watch`.
  struct Watch: Hashable, JSONReadable {
    var header: Header?
    var isCreated = false
    var isCanceled = false
    var compactRevision: UInt64?
    var cancelReason: String?
    var events: [Event] = []

    init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
      var read = Watch()
      try reader.object { name, reader throws(JSONReader.Malformed) in
        switch name {
        case "header": read.header = try Header(from: &reader)
        case "created": read.isCreated = try reader.bool()
        case "canceled": read.isCanceled = try reader.bool()
        case "compact_revision": read.compactRevision = try reader.number()
        case "cancel_reason": read.cancelReason = try reader.string()
        case "events": read.events = try reader.array(of: Event.self)
        default: return false
        }
        return true
      }
      self = read
    }

    private init() {}

    struct Event: Hashable, JSONReadable {
      /// The type of a put is zero, and so left out.
      var isRemoval: Bool
      var entry: KeyValue

      init(from reader: inout JSONReader) throws(JSONReader.Malformed) {
        var entry: KeyValue?
        var isRemoval = false
        try reader.object { name, reader throws(JSONReader.Malformed) in
          switch name {
          case "type": isRemoval = try reader.string() == "DELETE"
          case "kv": entry = try KeyValue(from: &reader)
          default: return false
          }
          return true
        }
        guard let entry else { throw JSONReader.Malformed() }
        (self.isRemoval, self.entry) = (isRemoval, entry)
      }
    }
  }
}
