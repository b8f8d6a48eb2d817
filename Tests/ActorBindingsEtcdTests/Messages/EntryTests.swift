import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Testing

private let header = #""header":{"cluster_id":"15118495548433857066","revision":"12","raft_term":"2"}"#

@Suite struct EntryTests {
  private func store(_ transport: ScriptedTransport, prefix: String = "") throws -> EtcdStore {
    try EtcdStore("http://a:1", prefix: prefix, transport: transport)
  }

  @Test func `a load of a key asks for this key only, without serializable`() async throws {
    let transport = ScriptedTransport("{\(header)}")
    let snapshot = try await store(transport).load(.key("a"))
    #expect(snapshot == StoreSnapshot(entries: [], revision: StoreRevision(12)))
    #expect(transport.requests.value.map(\.path) == ["/v3/kv/range"])
    #expect(transport.requests.value.map(\.body) == [#"{"key":"YQ=="}"#])
  }

  @Test func `a load of a prefix asks up to the prefix with its last byte plus one`() async throws {
    let transport = ScriptedTransport("{\(header)}")
    _ = try await store(transport, prefix: "x/").load(.prefix("a/"))
    // The keys are x/a/ and x/a0.
    let body = #"{"key":"eC9hLw==","limit":"32","range_end":"eC9hMA=="}"#
    #expect(transport.requests.value.map(\.body) == [body])
  }

  @Test func `a load of everything asks from the first key to the end`() async throws {
    let transport = ScriptedTransport("{\(header)}")
    _ = try await store(transport).load(.prefix(""))
    #expect(transport.requests.value.map(\.body) == [#"{"key":"AA==","limit":"32","range_end":"AA=="}"#])
  }

  @Test func `entries come without the prefix of the store, and an empty value has no field`() async throws {
    let transport = ScriptedTransport(
      """
      {\(header),"kvs":[
        {"key":"eC9h","create_revision":"2","mod_revision":"9007199254740993","version":"1","value":"djE="},
        {"key":"eC9i","create_revision":"3","mod_revision":"3","version":"1"}],"count":"2"}
      """
    )
    let entries = try await store(transport, prefix: "x/").load(.prefix("")).entries
    #expect(
      entries == [
        StoreEntry(key: "a", bytes: Array("v1".utf8), revision: StoreRevision(9_007_199_254_740_993)),
        StoreEntry(key: "b", bytes: [], revision: StoreRevision(3)),
      ]
    )
  }

  @Test func `an entry whose key is not UTF-8 is left out`() async throws {
    let transport = ScriptedTransport(#"{\#(header),"kvs":[{"key":"/w==","mod_revision":"2"}],"count":"1"}"#)
    #expect(try await store(transport).load(.prefix("")).entries == [])
  }

  @Test func `a large scope is read in pages at the revision of the first`() async throws {
    let transport = ScriptedTransport { _, number in
      number == 1
        ? .answer(200, #"{\#(header),"kvs":[{"key":"YS8x","mod_revision":"5"}],"more":true}"#)
        : .answer(200, #"{"header":{"revision":"99"},"kvs":[{"key":"YS8y","mod_revision":"6"}]}"#)
    }
    let snapshot = try await store(transport).load(.prefix("a/"))
    #expect(snapshot.revision == StoreRevision(12))
    #expect(snapshot.entries.map(\.key) == ["a/1", "a/2"])
    // The second page begins after a/1.
    #expect(
      transport.requests.value.last?.body
        == #"{"key":"YS8xAA==","limit":"256","range_end":"YTA=","revision":"12"}"#
    )
  }

  @Test func `a load whose revision is compacted begins again, three times at most`() async throws {
    let transport = ScriptedTransport { request, _ in
      if request.body.contains("revision") {
        let message = "etcdserver: mvcc: required revision has been compacted"
        return .answer(400, #"{"error":"\#(message)","message":"\#(message)","code":11}"#)
      }
      return .answer(200, #"{\#(header),"kvs":[{"key":"YS8x","mod_revision":"5"}],"more":true}"#)
    }
    let error = await storeError { try await store(transport).load(.prefix("a/")) }
    #expect(error?.isUnavailable == true)
    #expect(transport.requests.value.count == 6)
  }

  @Test(arguments: [
    (StoreWrite.Expectation.anything, "[]"),
    (.absent, #"[{"key":"YQ==","mod_revision":"0","result":"EQUAL","target":"MOD"}]"#),
    (.revision(StoreRevision(7)), #"[{"key":"YQ==","mod_revision":"7","result":"EQUAL","target":"MOD"}]"#),
  ])
  func `a write compares the revision`(_ expected: StoreWrite.Expectation, _ compare: String) async throws {
    let transport = ScriptedTransport(
      #"{\#(header),"succeeded":true,"responses":[{"response_put":{"header":{"revision":"12"}}}]}"#
    )
    let result = try await store(transport).write(StoreWrite(key: "a", bytes: [1], expected: expected))
    #expect(result == .applied(StoreRevision(12)))
    let failure = #""failure":[{"request_range":{"key":"YQ=="}}]"#
    let success = #""success":[{"request_put":{"key":"YQ==","value":"AQ=="}}]"#
    #expect(transport.requests.value.map(\.body) == [#"{"compare":\#(compare),\#(failure),\#(success)}"#])
  }

  @Test func `a write may have a lease, or remove`() async throws {
    let transport = ScriptedTransport(#"{\#(header),"succeeded":true}"#)
    let lease = StoreLease(id: "4111120198783755278", ttl: .seconds(2))
    let store = try store(transport)
    _ = try await store.write(StoreWrite(key: "a", bytes: [], expected: .anything, lease: lease))
    _ = try await store.write(StoreWrite(key: "a", bytes: nil, expected: .anything))
    let bodies = transport.requests.value.map(\.body)
    #expect(bodies[0].contains(#"{"request_put":{"key":"YQ==","lease":"4111120198783755278","value":""}}"#))
    #expect(bodies[1].contains(#""success":[{"request_delete_range":{"key":"YQ=="}}]"#))
  }

  @Test func `a conflict carries the entry`() async throws {
    let transport = ScriptedTransport(
      """
      {\(header),"responses":[{"response_range":{"header":{"revision":"12"},"kvs":[
        {"key":"YQ==","create_revision":"2","mod_revision":"2","version":"1","value":"djE="}],"count":"1"}}]}
      """
    )
    let result = try await store(transport).write(StoreWrite(key: "a", bytes: [1], expected: .absent))
    let entry = StoreEntry(key: "a", bytes: Array("v1".utf8), revision: StoreRevision(2))
    #expect(result == .conflict(entry))
  }

  @Test func `a conflict with nothing carries nil`() async throws {
    let transport = ScriptedTransport(
      #"{\#(header),"responses":[{"response_range":{"header":{"revision":"12"}}}]}"#
    )
    let write = StoreWrite(key: "a", bytes: [1], expected: .revision(StoreRevision(7)))
    let result = try await store(transport).write(write)
    #expect(result == .conflict(nil))
  }

  @Test func `a value over the limit is refused before it is sent`() async throws {
    let transport = ScriptedTransport("{}")
    let store = try store(transport)
    let bytes = [UInt8](repeating: 0, count: store.limits.bytesPerEntry + 1)
    let error = await storeError {
      try await store.write(StoreWrite(key: "big", bytes: bytes, expected: .anything))
    }
    #expect(error?.isRefusal == true)
    #expect(error?.description.contains("\"big\"") == true)
    #expect(error?.description.contains("etcd at a:1") == true)
    #expect(transport.requests.value.isEmpty)
  }
}
