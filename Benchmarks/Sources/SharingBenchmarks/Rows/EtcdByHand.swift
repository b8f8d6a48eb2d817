import Dispatch
import Foundation
import Synchronization

/// The floor of a change over etcd: a put on one socket, and a watch on another.
enum EtcdByHand {
  /// Returns the connection of a watch of the keys with a prefix, which ends in an ASCII character, once etcd has
  /// confirmed the watch.
  static func watch(_ prefix: String, _ port: UInt16) throws -> Wire {
    let watch = try Wire.connected(to: port)
    let end = String(decoding: prefix.utf8.dropLast() + [(prefix.utf8.last ?? 0) + 1], as: UTF8.self)
    let keys = #""key":"\#(prefix.base64)","range_end":"\#(end.base64)""#
    let body = Array(#"{"create_request":{\#(keys)}}"#.utf8)
    try expect(watch.write(PlainClient.request("/v3/watch", body, port)), "etcd took no request for a watch")
    let created = Array(#""created":true"#.utf8)
    var head: [UInt8] = []
    while head.end(of: created) == nil {
      guard let bytes = watch.read(), !bytes.isEmpty else {
        throw WrongResult(message: "etcd created no watch")
      }
      head += bytes
    }
    return watch
  }

  /// Returns the nanoseconds from the begin of each put until the watch has brought its event.
  static func arrivals(_ port: UInt16, _ time: Duration) throws -> [Double] {
    let key = "by-hand"
    let watch = try watch(key, port)
    defer { watch.end() }
    let instants = Mutex<[ContinuousClock.Instant]>([])
    let arrived = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let event = Array(#""mod_revision""#.utf8)
      while let bytes = watch.read(), !bytes.isEmpty {
        let now = ContinuousClock.now
        if bytes.end(of: event) == nil { continue }
        instants.withLock { $0.append(now) }
        arrived.signal()
      }
    }
    let client = try PlainClient(port: port)
    var begins: [ContinuousClock.Instant] = []
    let end = ContinuousClock.now + time
    while begins.count < 20 || ContinuousClock.now < end {
      begins.append(.now)
      try client.put([(key, String(begins.count))])
      try expect(arrived.wait(timeout: .now() + 5) == .success, "a watch by hand brought no event")
    }
    let received = instants.withLock { $0 }
    try expect(received.count, equals: begins.count, "the events of a watch by hand")
    return zip(received, begins).map { ($0 - $1) / .nanoseconds(1) }
  }
}
