import ActorBindingsEtcd
import Testing

@Suite struct TokenStateTests {
  private let trouble = EtcdTrouble.notApplied("no route")

  @Test func `the first request logs in, and the others wait for it`() {
    var state = TokenState()
    #expect(state.tokenRequested() == .logIn(1))
    #expect(state.tokenRequested() == .wait(1))
    #expect(state.outcome(of: 1) == nil)
    state.loginEnded(.success("t"))
    let token = TokenState.Token(login: 1, text: "t")
    #expect(state.outcome(of: 1) == .success(token))
    #expect(state.tokenRequested() == .use(token))
  }

  @Test func `a failed log-in is told to those who waited, and the next request logs in again`() {
    var state = TokenState()
    #expect(state.tokenRequested() == .logIn(1))
    state.loginEnded(.failure(trouble))
    #expect(state.outcome(of: 1) == .failure(trouble))
    #expect(state.tokenRequested() == .logIn(2))
    #expect(state.outcome(of: 2) == nil)
  }

  @Test func `a refused token is replaced once, however many requests find it refused`() {
    var state = TokenState()
    _ = state.tokenRequested()
    state.loginEnded(.success("old"))
    let old = TokenState.Token(login: 1, text: "old")
    state.tokenRefused(old)
    #expect(state.tokenRequested() == .logIn(2))
    state.tokenRefused(old)
    #expect(state.tokenRequested() == .wait(2))
    state.loginEnded(.success("new"))
    state.tokenRefused(old)
    #expect(state.tokenRequested() == .use(TokenState.Token(login: 2, text: "new")))
  }

  @Test func `a cluster without users needs no token`() {
    var state = TokenState()
    _ = state.tokenRequested()
    state.loginEnded(.success(nil))
    #expect(state.tokenRequested() == .use(TokenState.Token(login: 1, text: nil)))
  }
}
