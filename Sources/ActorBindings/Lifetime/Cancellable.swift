/// Something to cancel: all that tokens and bags know of an observation.
@usableFromInline
package class Cancellable: @unchecked Sendable {
  /// The last token's going is the end. Set before the token exists.
  @usableFromInline package final let endsWithToken: Bool

  @usableFromInline
  package init(endsWithToken: Bool) {
    self.endsWithToken = endsWithToken
  }

  package func cancel() {
    preconditionFailure("\(type(of: self)) does not say how it is cancelled")
  }

  package func cancelAndWait() async {
    preconditionFailure("\(type(of: self)) does not say how its end is awaited")
  }

  /// It has ended by being cancelled, or by its owner's end.
  package var isCancelled: Bool {
    preconditionFailure("\(type(of: self)) does not say whether it was cancelled")
  }

  /// It has ended, however.
  package var hasEnded: Bool {
    preconditionFailure("\(type(of: self)) does not say whether it has ended")
  }
}

extension Cancellable: CustomReflectable {
  /// Nothing: what a mirror would read is others' at the time, and some of it cannot be reflected.
  @usableFromInline package final var customMirror: Mirror { Mirror(self, children: []) }
}
