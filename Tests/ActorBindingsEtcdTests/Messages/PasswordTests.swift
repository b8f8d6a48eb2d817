import ActorBindings
import ActorBindingsEtcd
import ActorBindingsSharing
import Foundation
import Testing

@Suite struct PasswordTests {
  @Test func `any character of a password reaches the server`() async throws {
    let password = "\"\\/\u{0}\u{1}\u{1f}\n\té😀\u{7f}"
    let transport = ScriptedTransport { request, _ in
      request.path == "/v3/auth/authenticate"
        ? .answer(200, #"{"token":"t"}"#) : .answer(200, #"{"header":{"revision":"1"}}"#)
    }
    let credentials = EtcdCredentials(user: "me", password: password)
    _ = try await EtcdStore("http://a:1", credentials: credentials, transport: transport).load(.key("a"))
    let body = try #require(transport.requests.value.first?.body)
    let read = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String]
    #expect(read == ["name": "me", "password": password])
  }
}
