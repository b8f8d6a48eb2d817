/// Decides whether the write of a `modify` was applied. A pure state machine: no lock, no task.
///
/// ### States
/// - *sure*: no acknowledgement was lost since the last `began`.
/// - *uncertain*: the write on this base may have been applied.
///
/// ### Transitions
/// | event | sure | uncertain |
/// |---|---|---|
/// | `began` | sure | sure |
/// | `acknowledgementLost` | uncertain | uncertain |
/// | `conflicted` | `runAgain` | see below |
///
/// After a lost acknowledgement the writer sends the same write again. It expects the same revision, so the store
/// applies it once at most. (A creation expects no entry: if another process has removed the entry meanwhile, the store
/// applies it twice. So does a store that receives the first request late.) If it conflicts, the entry in the answer
/// tells whether it was applied before:
/// - The entry has the token of this `modify`: it was applied.
/// - The entry has the newest token of the base: all writes since then are known, and this one is not among them. It
///   was not applied.
/// - Otherwise more writes happened than an entry keeps tokens for, or the entry was removed: nothing can be said.
package struct ModifyState: Sendable {
  /// The token of all writes of this `modify`.
  package let token: String
  /// The entry on which the body ran; nil if there was none.
  package private(set) var base: StoreEntry?
  private var isUncertain = false

  /// A `modify` that writes with this token.
  package init(token: String) {
    self.token = token
  }

  /// The body ran on a new base.
  package mutating func began(on base: StoreEntry?) {
    self.base = base
    isUncertain = false
  }

  /// The acknowledgement of a write was lost.
  package mutating func acknowledgementLost() {
    isUncertain = true
  }

  /// What a conflict means.
  package enum Verdict: Hashable, Sendable {
    /// The write was applied.
    case applied
    /// The write was not applied, and never will be: the body runs again on the entry of the conflict.
    case runAgain
    /// Nothing can be said.
    case unknown
  }

  /// The store answered a write with a conflict.
  package func conflicted(with entry: StoreEntry?) -> Verdict {
    guard isUncertain else { return .runAgain }
    let tokens = entry.map { StoreEnvelope($0.bytes).tokens } ?? []
    if tokens.contains(token) { return .applied }
    guard let newest = base.flatMap({ StoreEnvelope($0.bytes).tokens.first }) else { return .unknown }
    return tokens.contains(newest) ? .runAgain : .unknown
  }
}
