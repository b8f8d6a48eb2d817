/// What is known of something that has to be loaded first.
public enum Loading<Content> {
  /// Nobody has asked for it.
  case idle
  /// It is being loaded, and there is nothing to show meanwhile.
  case loading(LoadingAttempt)
  /// It is there.
  case loaded(Content)
  /// The last load has failed. `last` is what the one that succeeded before has brought, if there was one.
  case failed(any Error, last: Content?)
  /// It is being loaded again; this is what was there last.
  case reloading(Content, LoadingAttempt)
}

extension Loading: Sendable where Content: Sendable {}

/// How far a load is.
public struct LoadingAttempt: Sendable {
  /// The first one is 1.
  public let number: Int

  /// How long is waited before this attempt begins; nil once it has.
  public let startsIn: Duration?

  /// Why the attempt before this one has failed; nil for the first one.
  public let lastError: (any Error)?

  /// An attempt: for who makes a ``Loading`` by himself.
  public init(number: Int = 1, startsIn: Duration? = nil, lastError: (any Error)? = nil) {
    self.number = number
    self.startsIn = startsIn
    self.lastError = lastError
  }
}

extension Loading {
  /// What was loaded last, whatever has happened since.
  public var content: Content? {
    switch self {
    case .idle, .loading: nil
    case .loaded(let content), .reloading(let content, _): content
    case .failed(_, let last): last
    }
  }

  /// Why the last load has failed; nil if it has not, or one is under way.
  public var error: (any Error)? {
    if case .failed(let error, _) = self { error } else { nil }
  }

  /// The attempt that is under way, or waited for.
  public var attempt: LoadingAttempt? {
    switch self {
    case .loading(let attempt), .reloading(_, let attempt): attempt
    case .idle, .loaded, .failed: nil
    }
  }

  /// Whether a load is under way.
  public var isLoading: Bool { attempt != nil }

  /// The same, with what `transform` makes of the content.
  public func map<T, E: Error>(_ transform: (Content) throws(E) -> T) throws(E) -> Loading<T> {
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

extension Loading: CustomStringConvertible {
  /// As `reloading 12 (attempt 2 in 0.5 seconds)`.
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
  /// As `attempt 2 in 0.5 seconds`.
  public var description: String {
    startsIn.map { "attempt \(number) in \($0)" } ?? "attempt \(number)"
  }
}
