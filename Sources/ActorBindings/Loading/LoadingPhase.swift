/// The state of content that is loaded on demand.
public enum LoadingPhase<Content> {
  /// No caller has asked for the content yet, or every load so far was cancelled.
  case idle
  /// A load is under way, and there is no content to show meanwhile.
  case loading(LoadingAttempt)
  /// The content is loaded.
  case loaded(Content)
  /// The last load has failed. `last` is the content of the last load that succeeded, if there was one.
  case failed(any Error, last: Content?)
  /// A new load is under way. The content comes from the last load that succeeded.
  case reloading(Content, LoadingAttempt)
}

extension LoadingPhase: Sendable where Content: Sendable {}

/// An attempt of a load.
public struct LoadingAttempt: Sendable {
  /// The number of this attempt. The first attempt has the number 1.
  public let number: Int

  /// The delay before this attempt begins; nil once the attempt has begun.
  public let startsIn: Duration?

  /// The error of the attempt before this one; nil for the first attempt.
  public let lastError: (any Error)?

  /// Creates an attempt, for code that makes a ``LoadingPhase`` itself.
  public init(number: Int = 1, startsIn: Duration? = nil, lastError: (any Error)? = nil) {
    self.number = number
    self.startsIn = startsIn
    self.lastError = lastError
  }
}

extension LoadingPhase {
  /// The content that was loaded last, whatever has happened since; nil if there is none.
  public var content: Content? {
    switch self {
    case .idle, .loading: nil
    case .loaded(let content), .reloading(let content, _): content
    case .failed(_, let last): last
    }
  }

  /// The error of the last load; nil if that load has not failed, or a new load is under way.
  public var error: (any Error)? {
    if case .failed(let error, _) = self { error } else { nil }
  }

  /// The attempt that is under way, or that begins after its delay; nil if no load is under way.
  public var attempt: LoadingAttempt? {
    switch self {
    case .loading(let attempt), .reloading(_, let attempt): attempt
    case .idle, .loaded, .failed: nil
    }
  }

  /// Whether a load is under way.
  public var isLoading: Bool { attempt != nil }

  /// Transforms the content, and keeps the rest of the state.
  public func map<T, E: Error>(_ transform: (Content) throws(E) -> T) throws(E) -> LoadingPhase<T> {
    switch self {
    case .idle: .idle
    case .loading(let attempt): .loading(attempt)
    case .loaded(let content): .loaded(try transform(content))
    case .failed(let error, let last?): .failed(error, last: try transform(last))
    case .failed(let error, nil): .failed(error, last: nil)
    case .reloading(let content, let attempt): .reloading(try transform(content), attempt)
    }
  }
}

extension LoadingPhase: CustomStringConvertible {
  /// A description such as `reloading 12 (attempt 2 in 0.5 seconds)`.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .loading(let attempt): "loading (\(attempt))"
    case .loaded(let content): "loaded \(content)"
    case .failed(let error, let last?): "failed: \(error), last \(last)"
    case .failed(let error, nil): "failed: \(error)"
    case .reloading(let content, let attempt): "reloading \(content) (\(attempt))"
    }
  }
}

extension LoadingAttempt: CustomStringConvertible {
  /// A description such as `attempt 2 in 0.5 seconds`.
  public var description: String {
    startsIn.map { "attempt \(number) in \($0)" } ?? "attempt \(number)"
  }
}
