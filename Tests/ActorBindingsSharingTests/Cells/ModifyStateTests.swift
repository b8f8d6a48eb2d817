import ActorBindingsSharing
import Testing

@Suite struct ModifyStateTests {
  private func entry(_ tokens: [String]) -> StoreEntry {
    let bytes = tokens.isEmpty ? [7] : Array("@\(tokens.joined(separator: ","))\n7".utf8)
    return StoreEntry(key: "a", bytes: bytes, revision: StoreRevision(1))
  }

  private func machine(on base: [String]?, isUncertain: Bool) -> ModifyState {
    var state = ModifyState(token: "mine")
    state.began(on: base.map(entry))
    if isUncertain { state.acknowledgementLost() }
    return state
  }

  @Test func `a conflict without a lost acknowledgement runs the body again`() {
    let state = machine(on: ["base"], isUncertain: false)
    #expect(state.conflicted(with: entry(["other", "base"])) == .runAgain)
    #expect(state.conflicted(with: entry(["other"])) == .runAgain)
    #expect(state.conflicted(with: nil) == .runAgain)
  }

  @Test func `after a lost acknowledgement its own token says that the write was applied`() {
    let state = machine(on: ["base"], isUncertain: true)
    #expect(state.conflicted(with: entry(["mine", "base"])) == .applied)
    #expect(state.conflicted(with: entry(["later", "mine", "base"])) == .applied)
  }

  @Test func `after a lost acknowledgement the token of the base says that the write was not applied`() {
    let state = machine(on: ["base", "older"], isUncertain: true)
    #expect(state.conflicted(with: entry(["other", "base", "older"])) == .runAgain)
  }

  @Test func `without both tokens nothing can be said`() {
    let state = machine(on: ["base", "older"], isUncertain: true)
    #expect(state.conflicted(with: entry(["other", "older"])) == .unknown)
    #expect(state.conflicted(with: entry([])) == .unknown)
    #expect(state.conflicted(with: nil) == .unknown)
    #expect(machine(on: nil, isUncertain: true).conflicted(with: entry(["other"])) == .unknown)
    #expect(machine(on: [], isUncertain: true).conflicted(with: entry(["other"])) == .unknown)
  }

  @Test func `a new base is certain again`() {
    var state = machine(on: ["base"], isUncertain: true)
    state.began(on: entry(["other"]))
    #expect(state.conflicted(with: nil) == .runAgain)
  }
}

@Suite struct StoreEnvelopeTests {
  @Test func `an envelope keeps the newest 16 tokens and the payload`() {
    var envelope: StoreEnvelope?
    for number in 1...20 {
      envelope = StoreEnvelope(token: "t\(number)", after: envelope, payload: [1, 10, 64])
    }
    let parsed = StoreEnvelope(envelope?.bytes ?? [])
    #expect(parsed.tokens == (5...20).reversed().map { "t\($0)" })
    #expect(parsed.payload == [1, 10, 64])
  }

  @Test(arguments: [[], [1], Array("{}".utf8), Array("@no line".utf8), [64, 0xff, 10, 1]] as [[UInt8]])
  func `bytes without a first line of tokens are payload only`(_ bytes: [UInt8]) {
    #expect(StoreEnvelope(bytes).tokens == [])
    #expect(Array(StoreEnvelope(bytes).payload) == bytes)
  }

  @Test func `tokens differ`() {
    #expect(Set((0..<1000).map { _ in StoreEnvelope.makeToken() }).count == 1000)
  }
}
