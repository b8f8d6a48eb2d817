import ActorBindings

/// The shell around `FollowState`: the loop that follows one scope of a store for all cells of the scope.
///
/// One task at a time takes events out of the mailbox, asks the state, and acts: the loop's task, or in its place the
/// task of the attempt, with changes. So members receive everything in one order, and a load that an earlier attempt
/// still waits for can do no harm: its event is not of the current attempt.
// @unchecked: only the task that handles events uses the variables, apart from those that say what guards them.
final class FollowLoop: @unchecked Sendable {
  let scope: StoreScope
  private let store: any SharedStore
  private let followers: StoreFollowers
  private let mailbox = FollowMailbox()
  private let tasks: FollowTasks
  // Guarded by the lock of the table of loops.
  var memberCountWhileLocked = 0

  private var state: FollowState
  private var members = FollowMembers()
  // What the loop knows, for members that join later.
  private var entries: [StoreKey: StoreEntry] = [:]
  private var revision = StoreRevision(0)
  // The ticket of the last load; nil before the first.
  private var loadBegan: UInt64?
  private var attempt: Task<Void, Never>?
  private var timer: Task<Void, Never>?
  private var timerEnd: Duration?

  init(_ scope: StoreScope, of store: any SharedStore, in followers: StoreFollowers, _ state: FollowState) {
    self.scope = scope
    self.store = store
    self.followers = followers
    self.state = state
    tasks = FollowTasks(of: followers)
  }

  /// Starts the loop's task.
  func start() {
    mailbox.post(.timeCame)
    tasks.start { [self] in
      while let events = await mailbox.next() { events.forEach(handle) }
      act(on: state.stopped())
      timer?.cancel()
    }
  }

  /// Something happened to the loop.
  func post(_ event: FollowMailbox.Event) {
    mailbox.post(event)
  }

  /// The last member has left: ends the loop, and returns when no task of it is left.
  func stop() async {
    mailbox.close()
    await tasks.ended()
  }

  // MARK: Events

  private func handle(_ event: FollowMailbox.Event) {
    let now = followers.time.now
    let link = state.link
    switch event {
    case .loaded(let attempt, let snapshot, let began):
      if act(on: state.loaded(attempt, now: now)) { apply(snapshot, began: began) }
    case .opened(let attempt):
      act(on: state.opened(attempt, now: now))
    case .changes(let attempt, let changes):
      if act(on: state.changesCame(attempt, isEmpty: changes.isEmpty, now: now)) { apply(changes) }
    case .failed(let attempt, let error):
      act(on: state.failed(attempt, error, now: now, jitter: followers.jitter()))
    case .timeCame:
      timerEnd = nil
      act(on: state.timeCame(now: now, jitter: followers.jitter()))
    case .joined(let membership): welcome(membership)
    case .left(let membership): members.remove(membership)
    }
    if state.link != link { tell() }
    setTimer()
  }

  @discardableResult
  private func act(on decision: FollowState.Decision) -> Bool {
    if decision.cancelsAttempt { attempt.take()?.cancel() }
    if decision.beginsAttempt { beginAttempt(state.attempt) }
    return decision.applies
  }

  private func beginAttempt(_ number: Int) {
    attempt = tasks.start { [self] in
      do {
        let began = followers.makeTicket()
        let snapshot = try await store.load(scope)
        mailbox.post(.loaded(attempt: number, snapshot, began: began))
        let changes = try await store.changes(in: scope, after: snapshot.revision)
        mailbox.post(.opened(attempt: number))
        try await Self.follow(changes) { changesCame($0, of: number) }
        mailbox.post(.failed(attempt: number, .unavailable("\(store.name) has ended the subscription")))
      } catch {
        let error = error as? StoreError ?? .unavailable("\(store.name) has failed: \(error)")
        mailbox.post(.failed(attempt: number, error))
      }
    }
  }

  private func changesCame(_ batch: [StoreChange], of attempt: Int) {
    guard let changes = mailbox.post(batch, of: attempt) else { return }
    handle(.changes(attempt: attempt, changes))
    // This task did not read the subscription while the handlers ran, so their time is no silence of the store.
    _ = state.changesCame(attempt, isEmpty: true, now: followers.time.now)
    mailbox.handled()
  }

  private static func follow(
    _ changes: some AsyncSequence<[StoreChange], any Error>,
    _ receive: ([StoreChange]) -> Void
  ) async throws {
    // A store that always has changes never suspends.
    var steps = CooperativeYield.Counter()
    for try await batch in changes {
      receive(batch)
      steps.stepped()
      if steps.isDue {
        steps.yielded()
        await Task.yield()
      }
    }
  }

  private func setTimer() {
    let wakeAt = state.wakeAt
    if let wakeAt, let timerEnd, timerEnd <= wakeAt { return }
    if wakeAt == timerEnd { return }
    timer.take()?.cancel()
    timerEnd = wakeAt
    guard let wakeAt else { return }
    timer = tasks.start { [followers, mailbox] in
      guard (try? await followers.time.sleep(until: wakeAt)) != nil else { return }
      mailbox.post(.timeCame)
    }
  }
}

// MARK: - Members

extension FollowLoop {
  private func apply(_ snapshot: StoreSnapshot, began: UInt64) {
    entries = Dictionary(snapshot.entries.lazy.map { (StoreKey($0.key), $0) }) {
      $0.revision < $1.revision ? $1 : $0
    }
    revision = snapshot.revision
    loadBegan = began
    members.forEach { $0.loaded(load(for: $0, began: began)) }
  }

  private func load(for member: any FollowMember, began: UInt64) -> FollowedLoad {
    let own = member.onlyKey.map { entries[StoreKey($0)].map { [$0] } ?? [] } ?? Array(entries.values)
    return FollowedLoad(entries: own, revision: revision, began: began)
  }

  private func apply(_ changes: [StoreChange]) {
    let changes = changes.filter { scope.contains($0.key) && isNews($0) }.sorted { $0.revision < $1.revision }
    for change in changes {
      switch change {
      case .written(let entry): entries[StoreKey(entry.key)] = entry
      case .removed(let key, _): entries[StoreKey(key)] = nil
      }
      revision = max(revision, change.revision)
      members.forEach(of: change.key) { $0.changed([change]) }
    }
    if !changes.isEmpty { members.forEachOfAllKeys { $0.changed(changes) } }
  }

  // Whether a change is neither in the load nor a duplicate. Several keys may change at one revision.
  private func isNews(_ change: StoreChange) -> Bool {
    change.revision >= revision
      && change.revision > (entries[StoreKey(change.key)]?.revision ?? StoreRevision(0))
  }

  private func welcome(_ membership: Membership) {
    if membership.isOver { return }
    if case .ended(let error) = state.link {
      membership.member.linked(shownLink)
      _ = membership.refused(error)
      return
    }
    members.insert(membership)
    if let loadBegan { membership.member.loaded(load(for: membership.member, began: loadBegan)) }
    membership.member.linked(shownLink)
  }

  // Tells all members, although the cost grows with their number. A retry that fails for the same reason as the last one
  // changes no link, so it tells none. A retry that fails for another reason comes at most every few seconds. If the
  // members derived their links from one shared cell, a loop over the link of a cell would no longer end with that cell:
  // a combination ends when both of its sources have ended.
  private func tell() {
    let link = shownLink
    // Before the members learn of the end: a member that starts again then gets another loop.
    if case .ended = state.link { followers.refused(self) }
    members.forEach { $0.linked(link) }
    guard case .ended(let error) = state.link else { return }
    members.removeAll().forEach { _ = $0.refused(error) }
  }

  // The link as the members show it. Its instants are of the continuous clock, whatever clock the loop waits by.
  private var shownLink: SharedLink {
    switch state.link {
    case .connecting: .connecting
    case .live: .live
    case .stale(let since, let reason): .stale(since: .now - (followers.time.now - since), reason: reason)
    case .ended(let error): .ended(reason: error.description)
    }
  }
}
