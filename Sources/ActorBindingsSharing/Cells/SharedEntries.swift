import ActorBindings

/// The entries of a shared cell or of a shared dictionary, and how their values become visible.
///
/// Decoding, comparing and publishing run without the lock. An event is tried on a copy of an entry's state; what it
/// leads to is decoded; then the copy replaces the state, unless other news came meanwhile.
// @unchecked: `lock` guards the variables.
final class SharedEntries<Value: Sendable>: FollowMember, @unchecked Sendable {
  let store: any SharedStore
  let scope: StoreScope
  let onlyKey: String?
  let codec: StoreCodec<Value>
  // Makes the value of a key visible. Called by one thread at a time, without a lock.
  let publish: @Sendable ([(key: String, value: AnyDecodedValue?)]) -> Void
  // Whether a key of the scope is a key of the dictionary.
  let accepts: @Sendable (String) -> Bool
  private let fileID: StaticString
  private let line: UInt

  let lock = Lock()
  // Guarded by `lock`.
  private(set) var states = EntryStates()
  // Guarded by `lock`.
  private(set) var queue = PublicationQueue<SharedDecision>()
  // Guarded by `lock`.
  private(set) var linking = LinkState()
  // Guarded by `lock`. The cells of the link and of the readiness; nil until code asks for them. Most code asks for
  // neither, and each takes as much memory as the cell of the value.
  private var linkCell: BindableActor<SharedLink>?
  // Guarded by `lock`. The link that was published last: the values that came before it are visible.
  private var shownLink = SharedLink.idle
  private var readinessCell: BindableActor<LinkState.Readiness>?
  // Guarded by `lock`. The number of `modify`s of each key of a dictionary that wait for the store.
  private var requests: [StoreKey: Int] = [:]

  init(
    _ scope: StoreScope,
    onlyKey: String?,
    in store: any SharedStore,
    codec: StoreCodec<Value>,
    fileID: StaticString,
    line: UInt,
    accepts: @escaping @Sendable (String) -> Bool = { _ in true },
    publish: @escaping @Sendable ([(key: String, value: AnyDecodedValue?)]) -> Void
  ) {
    self.scope = scope
    self.onlyKey = onlyKey
    self.store = store
    self.codec = codec
    self.accepts = accepts
    self.publish = publish
    self.fileID = fileID
    self.line = line
  }

  /// The number of keys of which this process holds something.
  var stateCount: Int { lock.withLock { states.count } }
}

// MARK: - Events of the loop

extension SharedEntries {
  func loaded(_ load: FollowedLoad) {
    var missing = Set(lock.withLock { states.keys })
    for entry in load.entries where accepts(entry.key) {
      missing.remove(StoreKey(entry.key))
      take(entry.key) { $0.loaded(entry, at: load.revision, began: load.began, ticket: $1) }
    }
    if let onlyKey, load.entries.isEmpty { missing.insert(StoreKey(onlyKey)) }
    for key in missing {
      take(key.text) { $0.loaded(nil, at: load.revision, began: load.began, ticket: $1) }
    }
    lock.withLock {
      linking.loaded()
      queue.decided(.link)
    }
    publishDecisions()
  }

  func changed(_ changes: [StoreChange]) {
    for change in changes where accepts(change.key) { take(change.key) { $0.changed(change, ticket: $1) } }
    publishDecisions()
  }

  func linked(_ link: SharedLink) {
    lock.withLock {
      linking.linked(link)
      queue.decided(.link)
    }
    publishDecisions()
  }
}

// MARK: - Taking news

/// What news of an entry lead to.
private enum TakenOutcome: Sendable {
  case unchanged
  case value(AnyDecodedValue?)
  case problem(String)
}

extension SharedEntries {
  /// Tries an event on the state of an entry, and decides what becomes visible.
  ///
  /// - Returns: What the event means, and the number of the decision; nil if nothing new becomes visible.
  @discardableResult
  func take(
    _ key: String,
    _ event: (inout EntryState, _ ticket: UInt64) -> EntryState.Verdict
  ) -> (verdict: EntryState.Verdict, decision: UInt64?) {
    let stateKey = StoreKey(key)
    while true {
      let old = lock.withLock { states[stateKey] ?? EntryState() }
      var new = old
      let verdict = event(&new, store.followers.makeTicket())
      let outcome = verdict == .news ? outcome(of: new.entry, after: old) : .unchanged
      let taken = lock.withLock { () -> (isCurrent: Bool, decision: UInt64?) in
        guard states[stateKey]?.version ?? 0 == old.version else { return (false, nil) }
        return (true, takenWhileLocked(key, new, outcome))
      }
      if taken.isCurrent { return (verdict, taken.decision) }
    }
  }

  // Runs without the lock, because it decodes.
  private func outcome(of entry: StoreEntry?, after old: EntryState) -> TakenOutcome {
    guard let entry else { return .value(nil) }
    let payload = StoreEnvelope(entry.bytes).payload
    if let former = old.entry, StoreEnvelope(former.bytes).payload == payload { return .unchanged }
    do {
      return .value(DecodedValue(try codec.decode(Array(payload))))
    } catch {
      return .problem(
        "the value of \"\(entry.key)\" in \(store.name), revision \(entry.revision.number), cannot be decoded: \(error)"
      )
    }
  }

  private func takenWhileLocked(_ key: String, _ state: EntryState, _ outcome: TakenOutcome) -> UInt64? {
    states[StoreKey(key)] = state
    forgetWhileLocked(StoreKey(key))
    switch outcome {
    case .unchanged: return nil
    case .value(let value):
      if linking.decoded(key) { queue.decided(.link) }
      return queue.decided(.value(key: key, value))
    case .problem(let problem):
      linking.failed(key, problem, at: .now)
      return queue.decided(.link)
    }
  }
}

// MARK: - Requests

extension SharedEntries {
  /// A `modify` of a key began to wait for the store.
  func requestBegan(for key: String) {
    // Only a dictionary forgets keys.
    if onlyKey != nil { return }
    lock.withLock { requests[StoreKey(key), default: 0] += 1 }
  }

  /// The `modify` is over.
  func requestEnded(for key: String) {
    if onlyKey != nil { return }
    let key = StoreKey(key)
    lock.withLock {
      if let count = requests.removeValue(forKey: key), count > 1 { requests[key] = count - 1 }
      forgetWhileLocked(key)
    }
  }

  /// The store does not answer a request. The link says so, with the reason.
  func requestFailed(_ id: UInt64, _ reason: String) {
    let (reason, now) = ("a write waits for \(store.name): \(reason)", ContinuousClock.now)
    lock.withLock {
      linking.requestFailed(id, reason, at: now)
      queue.decided(.link)
    }
    publishDecisions()
  }

  /// The store has answered a request, or its caller does not wait any more.
  func requestAnswered(_ id: UInt64) {
    let isNews = lock.withLock { () -> Bool in
      guard linking.requestAnswered(id) else { return false }
      queue.decided(.link)
      return true
    }
    if isNews { publishDecisions() }
  }

  // A dictionary forgets a removed key, unless an older change of the key may still come: from the loop after a removal
  // by this process, or as the answer to a request.
  private func forgetWhileLocked(_ key: StoreKey) {
    guard onlyKey == nil, requests[key] == nil, let state = states[key], state.entry == nil else { return }
    if !state.isOwn || !linking.isFollowed { states[key] = nil }
  }
}

// MARK: - Publishing

extension SharedEntries {
  /// Publishes the decisions that wait, unless another thread is doing so.
  func publishDecisions() {
    var decisions = lock.withLock { queue.began() }
    while let batch = decisions {
      let values = batch.compactMap { decision -> (key: String, value: AnyDecodedValue?)? in
        if case .value(let key, let value) = decision { (key, value) } else { nil }
      }
      if !values.isEmpty { publish(values) }
      if values.count < batch.count {
        let shown = lock.withLock {
          shownLink = linking.link
          return (
            link: shownLink, readiness: linking.readiness, linkCell: linkCell, readinessCell: readinessCell
          )
        }
        shown.linkCell?.sendIfChanged(shown.link)
        shown.readinessCell?.sendIfChanged(shown.readiness)
      }
      let next = lock.withLock { queue.published(batch.count) }
      next.waiters.forEach { $0.resume() }
      decisions = next.decisions
    }
  }

  /// Returns when a decision is visible. Another thread may be publishing, and its handlers may take long: throws
  /// `CancellationError` if the task is cancelled meanwhile.
  func published(_ decision: UInt64) async throws {
    publishDecisions()
    while !lock.withLock({ queue.isVisible(decision) }) {
      try Task.checkCancellation()
      let name = lock.withLock { queue.makeWaiter() }
      await withTaskCancellationHandler {
        await Resumption.suspend { waiter in lock.withLock { queue.waited(for: decision, name, waiter) } }
      } onCancel: {
        lock.withLock { queue.waiterCancelled(name) }?.resume()
      }
      lock.withLock { queue.waiterLeft(name) }
    }
  }
}

// MARK: - The link

extension SharedEntries {
  /// What the entries know of their connection to the store.
  var link: BindableActor<SharedLink> {
    while true {
      let seen = lock.withLock { (cell: linkCell, link: shownLink) }
      if let cell = seen.cell { return cell }
      let new = BindableActor(seen.link, fileID: fileID, line: line)
      // If another link was published since, the new cell is out of date: then this makes another one.
      lock.withLock { if linkCell == nil, shownLink == seen.link { linkCell = new } }
    }
  }

  /// Waits for the first load.
  func ready() async throws {
    try checkKey()
    let new = BindableActor(LinkState.Readiness.waiting, fileID: fileID, line: line)
    let (readiness, cell) = lock.withLock {
      () -> (LinkState.Readiness, BindableActor<LinkState.Readiness>?) in
      if linking.readiness == .waiting, readinessCell == nil { readinessCell = new }
      return (linking.readiness, readinessCell)
    }
    // If a run has begun after a refusal, the cell may still say that the store has refused.
    if readiness == .waiting { try await published(lock.withLock { queue.lastNumber }) }
    let outcome = readiness == .waiting ? await cell?.first { $0 != .waiting } : readiness
    switch outcome {
    // What was loaded may still be on its way into the cell.
    case .loaded: try await published(lock.withLock { queue.lastNumber })
    case .refused(let reason): throw StoreError.refused(reason)
    case .waiting, nil: throw CancellationError()
    }
  }
}

// MARK: - Running

extension SharedEntries {
  /// Follows the store until the task is cancelled. Throws if the store refuses.
  func run() async throws {
    runBegan()
    do {
      try checkKey()
      try await store.followers.follow(scope, of: store, by: self)
      runEnded(nil)
    } catch {
      runEnded(error)
      throw error
    }
  }

  /// Follows the store until the result is cancelled, or the store refuses. Keeps no task meanwhile.
  func start() -> StartedRun {
    runBegan()
    let run = StartedRun { [self] in runEnded($0) }
    do {
      try checkKey()
      run.start(following: scope, of: store, by: self)
    } catch {
      run.refused(error)
    }
    return run
  }

  private func runBegan() {
    lock.withLock {
      linking.runBegan()
      queue.decided(.link)
    }
    publishDecisions()
  }

  private func runEnded(_ error: (any Error)?) {
    let refusal = error.map { "\($0)" }
    lock.withLock {
      linking.runEnded(refusal: refusal)
      queue.decided(.link)
    }
    publishDecisions()
  }

  /// Throws if the key, or the prefix, is not allowed.
  func checkKey() throws {
    switch scope {
    case .key(let key): try store.limits.check(key: key, of: store.name)
    case .prefix(let prefix):
      guard onlyKey == nil else { return try store.limits.check(key: onlyKey ?? "", of: store.name) }
      guard prefix.utf8.last == UInt8(ascii: "/") else {
        throw StoreError.refused(
          "the prefix \"\(prefix)\" in \(store.name) must end in a slash: write \"\(prefix)/\""
        )
      }
      try store.limits.check(key: String(prefix.dropLast()), of: store.name)
    }
  }
}
