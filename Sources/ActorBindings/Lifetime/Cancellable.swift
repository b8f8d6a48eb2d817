/// Something that can be cancelled: all that tokens and bags know about an observation.
@usableFromInline
package class Cancellable: @unchecked Sendable {
  /// Whether this ends when its token is deallocated. Set before the token exists.
  @usableFromInline package final let endsWithToken: Bool

  @usableFromInline
  package init(endsWithToken: Bool) {
    self.endsWithToken = endsWithToken
  }

  /// The line of user code that began this, for descriptions; nil if it is not known.
  package var place: String? { nil }

  package func cancel() {
    preconditionFailure("\(type(of: self)) does not say how it is cancelled")
  }

  package func cancelAndWait() async {
    preconditionFailure("\(type(of: self)) does not say how its end is awaited")
  }

  /// Whether this has ended because it was cancelled, or because its owner or its context is gone.
  package var isCancelled: Bool {
    preconditionFailure("\(type(of: self)) does not say whether it was cancelled")
  }

  /// Whether this has ended, for any reason.
  package var hasEnded: Bool {
    preconditionFailure("\(type(of: self)) does not say whether it has ended")
  }
}

extension Cancellable: CustomReflectable {
  /// An empty mirror. Other threads may be accessing the variables that a mirror would read, and some of these
  /// variables cannot be reflected.
  @usableFromInline package final var customMirror: Mirror { Mirror(self, children: []) }
}
