import ActorBindings
import Foundation
import Loopback

/// A network between a store and a member, in the test process: it freezes, cuts and delays.
final class Proxy: Sendable {
  private enum Mode: Hashable {
    case passes, frozen, cut
    case delayed(TimeInterval)
  }

  private let target: UInt16
  private let listener: Wire
  private let wires = BindableActor<[Wire]>([])
  private let mode = BindableActor(Mode.passes)
  private let modeChanged = NSCondition()

  var url: String { "http://127.0.0.1:\(listener.port)" }

  /// Starts a proxy to a port.
  init(to target: UInt16) throws {
    self.target = target
    listener = try Wire.listening()
    Thread.detachNewThread { [self] in
      while let client = listener.accepted() {
        if mode.value == .cut {
          client.end()
        } else {
          Thread.detachNewThread { self.connect(client) }
        }
      }
    }
  }

  /// Ends the proxy and its connections.
  func end() {
    listener.end()
    cut()
  }

  /// Passes no byte on, until it heals. Connections stay open.
  func freeze() { change(to: .frozen) }

  /// Closes all connections, and each one that is made until it heals.
  func cut() {
    change(to: .cut)
    for wire in wires.modify({ all in
      defer { all = [] }
      return all
    }) { wire.end() }
  }

  /// Passes each part on after a delay.
  func delay(_ seconds: TimeInterval) { change(to: .delayed(seconds)) }

  /// Passes everything on, also what came while it was frozen.
  func heal() { change(to: .passes) }

  private func change(to new: Mode) {
    modeChanged.withLock {
      mode.send(new)
      modeChanged.broadcast()
    }
  }

  private func connect(_ client: Wire) {
    waitWhileFrozen()
    guard mode.value != .cut, let server = try? Wire.connected(to: target) else { return client.end() }
    wires.modify { $0 += [client, server] }
    Thread.detachNewThread { self.pump(from: server, to: client) }
    pump(from: client, to: server)
  }

  private func pump(from source: Wire, to target: Wire) {
    while true {
      // Nil: nothing came for a long time.
      guard let bytes = source.read() else { continue }
      waitWhileFrozen()
      if bytes.isEmpty || mode.value == .cut || !target.write(bytes) { break }
    }
    source.end()
    target.end()
  }

  private func waitWhileFrozen() {
    modeChanged.withLock {
      if case .delayed(let seconds) = mode.value {
        let end = Date() + seconds
        while modeChanged.wait(until: end) {}
      }
      while mode.value == .frozen { modeChanged.wait() }
    }
  }
}
