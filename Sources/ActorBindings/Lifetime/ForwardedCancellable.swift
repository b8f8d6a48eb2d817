/// What another module of this package tells a token about what it has begun. See `Cancellable`, of which other modules
/// cannot declare subclasses.
package protocol CancellationTarget: AnyObject, Sendable {
  func cancel()
  func cancelAndWait() async
  var isCancelled: Bool { get }
  var hasEnded: Bool { get }
}

/// Forwards what a token asks to a target in another module of this package. The target does not end when the token is
/// deallocated.
// @unchecked: as its superclass, which has no variable.
package final class ForwardedCancellable: Cancellable, @unchecked Sendable {
  private let target: any CancellationTarget

  package init(_ target: some CancellationTarget) {
    self.target = target
    super.init(endsWithToken: false)
  }

  package override func cancel() { target.cancel() }

  package override func cancelAndWait() async { await target.cancelAndWait() }

  package override var isCancelled: Bool { target.isCancelled }

  package override var hasEnded: Bool { target.hasEnded }
}
