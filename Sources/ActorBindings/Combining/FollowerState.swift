/// How a cell that no user code writes follows the cells that it reads. A pure state machine, without a lock.
///
/// The readers of such a cell bring it up to date when they look. When the readers are parked, the writers of the
/// followed cells bring it up to date. What the cell must keep for this depends on its readers.
///
/// ### States
/// - *detached*: the cell has no readers. It holds no value, unless it has finished. The cells that it follows do not
///   know it.
/// - *attached*: the cell has readers, and all of them want only the newest value.
/// - *with history*: a reader wants more than the newest value. The cell has a position in each log that it follows.
/// - *eager*: the cell has a history, but no reader wants all of it. Nothing may pile up in the logs, so each writer of
///   a followed cell brings this cell up to date.
///
/// ### Transitions
/// | event | detached | attached | with history | eager |
/// |---|---|---|---|---|
/// | `attached` | attached | – | – | – |
/// | `historyBegan` | – | with history | – | – |
/// | `readersChanged`, no reader is left | – | `detach` | `endHistory`, `detach` | `endHistory`, `detach` |
/// | `readersChanged`, all readers want only the newest value | – | nothing | `endHistory` | `endHistory` |
/// | `readersChanged`, a reader wants more than the newest value, but no reader wants all values | – | – | `refresh` | nothing |
/// | `readersChanged`, a reader wants all values | – | – | nothing | with history |
///
/// ### Actions
/// `preparation` returns what must be done before the step of a reader. `readersChanged` returns what must be done
/// after the readers have changed, in this order: end the history, detach, bring the cell up to date.
///
/// ### Behavior
/// A detached cell is never brought up to date, because nothing would release the new value: the value is released when
/// the last reader leaves. A cell that no reader looks at costs nothing: a writer of a followed cell does work for this
/// cell only if a reader is parked in this cell, or if this cell is eager.
@usableFromInline
package struct FollowerState: Sendable {
  @usableFromInline package private(set) var isAttached = false
  @usableFromInline package private(set) var hasHistory = false
  @usableFromInline package private(set) var isEager = false

  @usableFromInline
  package init() {}

  /// What the cell must do before a step of a reader.
  @usableFromInline
  package struct Preparation: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @usableFromInline
    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Makes the cell known to the cells that it follows. The cell does this before it looks at them, so that it misses
    /// no later write.
    @usableFromInline package static var attach: Preparation { Preparation(rawValue: 1) }
    /// Brings the cell up to date.
    @usableFromInline package static var refresh: Preparation { Preparation(rawValue: 2) }
    /// Takes a position in each log that the cell follows.
    @usableFromInline package static var beginHistory: Preparation { Preparation(rawValue: 4) }
  }

  /// Returns what the cell must do before a step.
  @inlinable
  package func preparation(for purpose: Upstream.Purpose, hasParkedReaders: Bool) -> Preparation {
    switch purpose {
    case .leaving: return []
    case .refreshing: return isAttached && (hasParkedReaders || isEager) ? .refresh : []
    case .reading: return isAttached ? .refresh : []
    case .joining(let depth):
      var preparation = Preparation.refresh
      if !isAttached { preparation.insert(.attach) }
      if depth > 1, !hasHistory { preparation.insert(.beginHistory) }
      return preparation
    }
  }

  /// The work that the cell must do after a change of its readers.
  @usableFromInline
  package struct Obligations: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @usableFromInline
    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Gives up the positions in the logs.
    @usableFromInline package static var endHistory: Obligations { Obligations(rawValue: 1) }
    /// Leaves the cells that this cell follows, and releases its value.
    @usableFromInline package static var detach: Obligations { Obligations(rawValue: 2) }
    /// Reads what has piled up in the logs.
    @usableFromInline package static var refresh: Obligations { Obligations(rawValue: 4) }
  }

  /// The cells that this cell follows know this cell now.
  @usableFromInline
  package mutating func attached() {
    precondition(!isAttached, "a cell was attached to what it follows twice")
    isAttached = true
  }

  /// The cell now has a position in each log that it follows.
  @usableFromInline
  package mutating func historyBegan() {
    precondition(
      isAttached && !hasHistory,
      "the history of a cell began twice, or before the cell was attached"
    )
    hasHistory = true
  }

  /// Whether `readersChanged` would change anything.
  @inlinable
  package func mustAdjust(isRead: Bool, keepsHistory: Bool, wantsAll: Bool) -> Bool {
    isRead != isAttached || (hasHistory && !keepsHistory) || isEager != (hasHistory && !wantsAll)
  }

  /// Readers have come or gone.
  ///
  /// - Parameters:
  ///   - isRead: Whether there are readers.
  ///   - keepsHistory: Whether a reader wants more than the newest value.
  ///   - wantsAll: Whether a reader wants all values.
  @usableFromInline
  package mutating func readersChanged(isRead: Bool, keepsHistory: Bool, wantsAll: Bool) -> Obligations {
    var obligations: Obligations = []
    if hasHistory, !keepsHistory {
      hasHistory = false
      obligations.insert(.endHistory)
    }
    if isAttached, !isRead {
      isAttached = false
      obligations.insert(.detach)
    }
    let wasEager = isEager
    isEager = hasHistory && !wantsAll
    if isEager, !wasEager { obligations.insert(.refresh) }
    return obligations
  }
}
