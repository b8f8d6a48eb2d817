import Foundation
import Synchronization

/// A network between a store and a member, in this process: it can be cut, and counts the open connections and watches.
final class Proxy: Sendable {
  private struct State {
    var isCut = false
    var wires: [ObjectIdentifier: Wire] = [:]
    // The clients' sides of connections that carry a watch of etcd.
    var watches: Set<ObjectIdentifier> = []
  }

  private let target: UInt16
  private let listener: Wire
  private let state = Mutex(State())

  var port: UInt16 { listener.port }

  /// Starts a proxy to a port.
  init(to target: UInt16) throws {
    self.target = target
    listener = try Wire.listening()
    Thread.detachNewThread { [self] in
      while let client = listener.accepted() { connect(client) }
    }
  }

  /// The number of clients' connections that are open.
  var connectionCount: Int { state.withLock { $0.wires.count / 2 } }

  /// The number of these connections that carry a watch of etcd.
  var watchCount: Int { state.withLock { $0.watches.count } }

  /// Closes all connections, and each one that is made until `heal`.
  func cut() {
    let wires = state.withLock { state in
      state.isCut = true
      return Array(state.wires.values)
    }
    wires.forEach { $0.end() }
  }

  /// Lets clients connect again.
  func heal() { state.withLock { $0.isCut = false } }

  /// Ends the proxy and its connections.
  func end() {
    listener.end()
    cut()
  }

  private static let watch = Array("POST /v3/watch".utf8)

  private func connect(_ client: Wire) {
    guard !state.withLock({ $0.isCut }), let server = try? Wire.connected(to: target) else {
      return client.end()
    }
    let pair = [client, server]
    let isOpen = state.withLock { state in
      if state.isCut { return false }
      for wire in pair { state.wires[ObjectIdentifier(wire)] = wire }
      return true
    }
    guard isOpen else { return pair.forEach { $0.end() } }
    Thread.detachNewThread { self.pump(from: client, to: server, pair) }
    Thread.detachNewThread { self.pump(from: server, to: client, pair) }
  }

  private func pump(from source: Wire, to target: Wire, _ pair: [Wire]) {
    while true {
      // Nil: nothing came for a long time.
      guard let bytes = source.read() else { continue }
      if bytes.starts(with: Self.watch) {
        state.withLock { _ = $0.watches.insert(ObjectIdentifier(source)) }
      }
      if bytes.isEmpty || !target.write(bytes) { break }
    }
    pair.forEach { $0.end() }
    state.withLock { state in
      for wire in pair {
        state.wires[ObjectIdentifier(wire)] = nil
        state.watches.remove(ObjectIdentifier(wire))
      }
    }
  }
}
