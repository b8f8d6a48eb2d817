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
