/// What this process holds of one entry. A pure state machine: no lock, no task.
///
/// Three sources tell of an entry: a load of the loop, a change of the loop's subscription, and the answer to a write of
/// this process. They race with each other, and revisions do not order them, because a store that was wiped or restored
/// begins again at a smaller revision. So each request takes a ticket before it is sent, and each event has a ticket of
/// its own: tickets order the events of this process.
///
/// ### States
/// - *unknown*: nothing has told of the entry.
/// - *followed*: the last news came from the loop.
/// - *own*: the last news is the answer to a write of this process.
///
/// ### Transitions
/// | event | unknown, followed | own |
/// |---|---|---|
/// | `loaded` | followed | followed; own if the write was answered after the load began, and is later than the load |
/// | `changed` | followed if it is later | followed if it is not earlier |
/// | `answered` | own; unchanged if something later came since the request; `readAgain` after another load | the same |
///
/// ### Behavior
/// A load replaces what is held even by an older revision. The exception is a write that the load may have missed: then
/// the subscription, which begins at the revision of the load, brings it again.
package struct EntryState: Sendable {
  /// What an event means.
  package enum Verdict: Hashable, Sendable {
    /// The event is news.
    case news
    /// What is held is as new, or newer.
    case known
    /// Only of an answer: a load came since the request, and cannot be compared with the answer. The process reads the
    /// entry again.
    case readAgain
  }

  /// The entry; nil if there is none.
  package private(set) var entry: StoreEntry?
  /// Whether anything has told of the entry.
  package private(set) var isKnown = false
  /// Whether the last news is the answer to a write of this process.
  package private(set) var isOwn = false
  /// The ticket of the last news; 0 for none. No two news have the same ticket.
  package private(set) var ticket: UInt64 = 0
  /// The number of events.
  package private(set) var version: UInt64 = 0
  // The revision at which the entry was as it is held.
  private var revision = StoreRevision(0)
  // The ticket of the last load.
  private var loadTicket: UInt64 = 0

  /// Creates the state of an entry of which nothing is known.
  package init() {}

  /// A load of the loop found the entry, or found that there is none.
  ///
  /// - Parameters:
  ///   - revision: The revision of the load.
  ///   - began: The ticket of the request.
  ///   - ticket: The ticket of this event.
  package mutating func loaded(
    _ entry: StoreEntry?,
    at revision: StoreRevision,
    began: UInt64,
    ticket: UInt64
  ) -> Verdict {
    version += 1
    loadTicket = ticket
    if isOwn, self.ticket > began, self.revision > revision { return .known }
    hold(entry, at: entry?.revision ?? revision, isOwn: false, ticket: ticket)
    return .news
  }

  /// The subscription of the loop yielded a change.
  package mutating func changed(_ change: StoreChange, ticket: UInt64) -> Verdict {
    version += 1
    guard !isKnown || change.revision > revision else {
      // The subscription has reached the write of this process.
      if change.revision == revision { isOwn = false }
      return .known
    }
    switch change {
    case .written(let entry): hold(entry, at: entry.revision, isOwn: false, ticket: ticket)
    case .removed(_, let revision): hold(nil, at: revision, isOwn: false, ticket: ticket)
    }
    return .news
  }

  /// The store answered a write, or a load of this entry, with what the entry is now.
  package mutating func answered(
    _ entry: StoreEntry?,
    at revision: StoreRevision,
    began: UInt64,
    ticket: UInt64
  ) -> Verdict {
    version += 1
    if loadTicket > began { return .readAgain }
    guard !isKnown || self.ticket < began || revision > self.revision else { return .known }
    hold(entry, at: revision, isOwn: true, ticket: ticket)
    return .news
  }

  private mutating func hold(_ entry: StoreEntry?, at revision: StoreRevision, isOwn: Bool, ticket: UInt64) {
    self.entry = entry
    self.revision = revision
    self.isOwn = isOwn
    self.ticket = ticket
    isKnown = true
  }
}
