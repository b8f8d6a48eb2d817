import ActorBindings
import Foundation
import Loopback

/// A network between clients and one member, which can lose acknowledgements: it then closes a connection once etcd has
/// answered a write, and the client does not get the answer.
final class LossyProxy: Sendable {
  /// What a proxy does, and what it has done.
  private struct State: Hashable, Sendable {
    /// Until when it loses answers, by the clock of `now()`.
    var losesUntil = 0
    var lost = 0
  }

  private let target: UInt16
  private let listener: Wire
  private let state = BindableActor(State())

  var url: String { "http://127.0.0.1:\(listener.port)" }
  /// The number of writes that etcd has applied and whose acknowledgement did not reach the client.
  var lost: Int { state.value.lost }

  /// Starts a proxy to the member at a URL. It ends with the process.
  init(to url: String) throws {
    guard let target = URL(string: url)?.port else { throw URLError(.badURL) }
    self.target = UInt16(target)
    listener = try Wire.listening(backlog: 128)
    Thread.detachNewThread { [self] in
      while let client = listener.accepted() {
        Thread.detachNewThread { self.connect(client) }
      }
    }
  }

  /// Loses each answer to a write with a probability of one half, until `time`. The seed of the trial does not decide
  /// which.
  func loseAcknowledgements(until time: Int) {
    state.modify { $0.losesUntil = time }
  }

  private func connect(_ client: Wire) {
    guard let server = try? Wire.connected(to: target) else { return client.end() }
    // Whether the last request is a write. A client sends no request before it has the answer to the last one.
    let isWrite = BindableActor(false)
    Thread.detachNewThread {
      self.pump(from: server, to: client) { answer in !(isWrite.value && self.loses(answer)) }
    }
    pump(from: client, to: server) { bytes in
      if bytes.starts(with: "POST ".utf8) { isWrite.send(bytes.starts(with: "POST /v3/kv/txn ".utf8)) }
      return true
    }
  }

  /// Passes on what comes, until a side ends its connection, or `passes` returns false.
  private func pump(from source: Wire, to target: Wire, _ passes: ([UInt8]) -> Bool) {
    while true {
      // A connection on which etcd tells of changes may be silent for long.
      guard let bytes = source.read() else { continue }
      if bytes.isEmpty || !passes(bytes) || !target.write(bytes) { break }
    }
    source.end()
    target.end()
  }

  private func loses(_ answer: [UInt8]) -> Bool {
    guard now() < state.value.losesUntil, Bool.random() else { return false }
    let isAcknowledgement = String(decoding: answer, as: UTF8.self).contains(#""succeeded":true"#)
    if isAcknowledgement { state.modify { $0.lost += 1 } }
    return true
  }
}
