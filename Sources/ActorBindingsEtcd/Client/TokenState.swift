/// The token that requests of a user carry, and the log-in that gets it.
///
/// States:
/// - *none*: There is no token. The last log-in, if there was one, has failed, or its token was refused.
/// - *logging in*: One task logs in; the others wait for it.
/// - *held*: There is a token.
///
/// | event | none | logging in | held |
/// |---|---|---|---|
/// | `tokenRequested` | logging in: `logIn` | `wait` | `use` |
/// | `loginEnded` with a token | - | held | - |
/// | `loginEnded` without one | - | none | - |
/// | `tokenRefused`, the one that is held | - | - | none |
/// | `tokenRefused`, an earlier one | - | - | - |
///
/// Actions: `use` gives the token; `logIn` obliges the caller to log in, and to report how it ended; `wait`, and
/// `logIn` too, to wait until `outcome(of:)` is not nil.
///
/// Behavior: However many requests find that their token is no longer good, one log-in replaces it.
package struct TokenState: Sendable {
  /// A token.
  package struct Token: Hashable, Sendable {
    /// The number of the log-in that got it.
    package let login: Int
    /// The token itself; nil if the cluster needs none.
    package let text: String?

    package init(login: Int, text: String?) {
      self.login = login
      self.text = text
    }
  }

  package enum Action: Hashable, Sendable {
    case use(Token)
    case logIn(Int)
    case wait(Int)
  }

  private enum Phase { case none, loggingIn, held(Token) }

  private var phase = Phase.none
  // The number of log-ins that have begun.
  private var logins = 0
  private var lastResult: Result<Token, EtcdTrouble>?
  private var lastEnded = 0

  package init() {}

  /// A request needs a token.
  package mutating func tokenRequested() -> Action {
    switch phase {
    case .held(let token): return .use(token)
    case .loggingIn: return .wait(logins)
    case .none:
      phase = .loggingIn
      logins += 1
      return .logIn(logins)
    }
  }

  /// The log-in under way ended.
  package mutating func loginEnded(_ result: Result<String?, EtcdTrouble>) {
    let outcome = result.map { Token(login: logins, text: $0) }
    lastResult = outcome
    lastEnded = logins
    phase = if case .success(let token) = outcome { .held(token) } else { .none }
  }

  /// The cluster refused a token, or did not answer a request with it.
  package mutating func tokenRefused(_ token: Token) {
    if case .held(token) = phase { phase = .none }
  }

  /// How a log-in, or a later one, ended; nil if none of them has ended.
  package func outcome(of login: Int) -> Result<Token, EtcdTrouble>? {
    lastEnded >= login ? lastResult : nil
  }
}
