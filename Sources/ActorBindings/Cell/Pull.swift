/// What a cursor answers when it is asked for the next element.
public enum Pull<Element: Sendable>: Sendable {
  /// Here it is, and this is where it came from.
  case element(Element, Stamp)
  /// An operator looked at an update and rejected it. There may be more: ask again.
  case rejected(Stamp)
  /// Everything was seen; more may come.
  case idle
  /// Everything was seen, and nothing comes any more.
  case finished
}

/// Which update an element stems from.
public struct Stamp: Sendable {
  /// The number of the update.
  public let version: UInt64
  /// How many updates this reader never got to look at since the one before.
  public let skipped: UInt64
  /// It is the update that was current when the reader began.
  public let isInitial: Bool

  @inlinable
  package init(version: UInt64, skipped: UInt64, isInitial: Bool) {
    self.version = version
    self.skipped = skipped
    self.isInitial = isInitial
  }
}

/// What cursors read from.
///
/// A stream reads the cell *live*: each look takes the cell's lock, except for what is known to lie in the log.
/// A lane reads a *round*: one look at the cell, for all who are served in that round; what is written
/// meanwhile belongs to the next one.
public struct Feed<Value: Sendable>: Sendable {
  /// The value of a round; nil if this feed is live.
  @usableFromInline var value: Value?
  /// The version of a round; of a live feed, the one through which the log is known.
  @usableFromInline package var version: UInt64
  /// A round of a cell that is finished.
  @usableFromInline var isFinished: Bool
  @usableFromInline let isLive: Bool

  @inlinable
  init(roundOf state: CellState<Value>) {
    value = state.value
    version = state.version
    isFinished = state.isFinished
    isLive = false
  }

  /// A live feed; the log is known through `version`.
  @inlinable
  init(knownThrough version: UInt64) {
    value = nil
    self.version = version
    isFinished = false
    isLive = true
  }
}
