/// Stands for an observation or a binding.
///
/// Of an observation without an owner the token is all that holds it: it ends when the last reference to the
/// token goes. One with an owner ends with that owner, and its token may be discarded.
public final class BindingToken: Sendable {
  @usableFromInline let observation: Cancellable

  @usableFromInline
  package init(_ observation: Cancellable) {
    self.observation = observation
  }

  deinit {
    if observation.endsWithToken { observation.cancel() }
  }

  /// Ends the observation. After this returns no further call of the handler starts; one that is under way on
  /// another thread may still be running. From the observation's own context: none happens at all.
  ///
  /// It may be called any number of times, from any thread, inside the handler too.
  public func cancel() {
    observation.cancel()
  }

  /// Ends the observation, and returns when no call of the handler is running and what it captured is released.
  ///
  /// It may wait for the call that the same context is making to another observation of the same cell. If the observation
  /// was made on the caller's isolation, it waits until that actor has released what the handler captured.
  public func cancelAndWait() async {
    await observation.cancelAndWait()
  }

  /// Whether the observation has ended by `cancel()`, by its bag or with its owner. An observation that ended
  /// because its cell did was not cancelled.
  public var isCancelled: Bool {
    observation.isCancelled
  }

  /// Puts this token into a bag, which ends the observation when it is disposed of or dies.
  public func store(in bag: DisposeBag) {
    bag.insert(self)
  }

  package var hasEnded: Bool {
    observation.hasEnded
  }
}
