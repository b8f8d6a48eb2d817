/// A token that ends an observation or a binding.
///
/// An observation without an owner is kept alive by its token: the observation ends when the last reference to the
/// token is released. An observation with an owner ends with that owner, so its token may be discarded.
public final class BindingToken: Sendable {
  @usableFromInline let observation: Cancellable

  @usableFromInline
  package init(_ observation: Cancellable) {
    self.observation = observation
  }

  /// Creates a token that calls `onCancel` once: when the token is cancelled, or when its bag is disposed of, or when
  /// the last reference to the token is released.
  ///
  /// ```swift
  /// bag.insert(BindingToken { socket.close() })
  /// ```
  ///
  /// - Parameter onCancel: Runs on the thread that ends the token, without a lock. `cancelAndWait()` does not wait for
  ///   a run that another call has started.
  public convenience init(onCancel: @escaping @Sendable () -> Void) {
    self.init(CancelAction(onCancel))
  }

  deinit {
    if observation.endsWithToken { observation.cancel() }
  }

  /// Ends the observation.
  ///
  /// After this returns, no further call of the handler starts. A call that is under way on another thread may still be
  /// running. If the caller is on the observation's own context, and that context is serial, no other call of the
  /// handler is running either.
  ///
  /// This method may be called any number of times, from any thread, and inside the handler too.
  public func cancel() {
    observation.cancel()
  }

  /// Ends the observation, and waits until no call of the handler is running and the handler's captures are released.
  ///
  /// This may have to wait for a call that the same context is making for another observation of the same cell. If the
  /// handler runs on the isolation from which `observe` was called, this waits until the actor of that isolation has
  /// released the captures.
  public func cancelAndWait() async {
    await observation.cancelAndWait()
  }

  /// Whether the observation has ended by `cancel()`, by its bag, or by the end of its owner or its context. An
  /// observation that ended because its cell ended was not cancelled.
  public var isCancelled: Bool {
    observation.isCancelled
  }

  /// Whether the observation has not ended. It ends by `cancel()`, by its bag, by the end of its owner or its context,
  /// or, when it has received everything, by the end of its source.
  public var isActive: Bool {
    !observation.hasEnded
  }

  /// Puts this token into a bag. When the bag is disposed of or deallocated, the observation ends.
  public func store(in bag: DisposeBag) {
    bag.insert(self)
  }

  package var hasEnded: Bool {
    observation.hasEnded
  }
}

extension BindingToken: CustomStringConvertible {
  /// A description that says whether the observation is active, was cancelled, or has ended with its source, and which
  /// line began it, such as `BindingToken(active, Server/Log.swift:40)`.
  public var description: String {
    let state = isActive ? "active" : isCancelled ? "cancelled" : "ended"
    return "BindingToken(\(state)\(observation.place.map { ", \($0)" } ?? ""))"
  }
}
