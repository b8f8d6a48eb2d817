/// The answer of a cursor to a request for the next element.
@_documentation(visibility: internal)
public enum Pull<Element: Sendable>: Sendable {
  /// The next element, and the update from which it was made.
  case element(Element, Stamp)
  /// An operator has examined an update and rejected it. There may be more updates: ask again.
  case rejected(Stamp)
  /// The reader has seen all updates. More may come.
  case idle
  /// The reader has seen all updates, and no more will come.
  case finished
}

extension Pull {
  /// Transforms the element, if there is one.
  @inlinable
  func map<T: Sendable>(_ transform: (Element) -> T) -> Pull<T> {
    flatMap { .element(transform($0), $1) }
  }

  /// Returns the result of `transform` for the element and its stamp. If there is no element, returns the answer
  /// itself.
  @inlinable
  func flatMap<T: Sendable>(_ transform: (Element, Stamp) -> Pull<T>) -> Pull<T> {
    switch self {
    case .element(let element, let stamp): transform(element, stamp)
    case .rejected(let stamp): .rejected(stamp)
    case .idle: .idle
    case .finished: .finished
    }
  }
}

/// The update from which an element was made.
@_documentation(visibility: internal)
public struct Stamp: Sendable {
  /// The number of the update.
  public let version: UInt64
  /// The number of updates that this reader has skipped since the previous update that it looked at.
  public let skipped: UInt64
  /// Whether this is the update that was current when the reader began.
  public let isInitial: Bool

  @inlinable
  package init(version: UInt64, skipped: UInt64, isInitial: Bool) {
    self.version = version
    self.skipped = skipped
    self.isInitial = isInitial
  }
}
