/// What receives the elements of an observation.
@usableFromInline
package protocol Recipient<Element> {
  associatedtype Element: Sendable

  /// Delivers `element`. Returns false if there is no object left to deliver to. Called only on the observation's
  /// context.
  func deliver(_ element: Element) -> Bool

  /// Whether there is no object left to deliver to. Called only on the observation's context.
  var isGone: Bool { get }

  /// The source has ended, and the recipient has received everything. Called at most once, only on the observation's
  /// context, and not after the observation was cancelled.
  func sourceEnded()
}

extension Recipient {
  @inlinable
  package func sourceEnded() {}
}

/// A handler without an owner.
@usableFromInline
struct HandlerRecipient<Element: Sendable>: Recipient {
  @usableFromInline let handler: (Element) -> Void

  @inlinable
  init(_ handler: @escaping (Element) -> Void) {
    self.handler = handler
  }

  @inlinable
  func deliver(_ element: Element) -> Bool {
    handler(element)
    return true
  }

  @inlinable
  var isGone: Bool { false }
}

/// A handler that ends with its owner.
///
/// The library holds a strong reference to the owner only during a call, on the observation's context. If the library
/// held a strong reference on another thread, the owner's deinit could run on that thread.
@usableFromInline
struct OwnedRecipient<Owner: AnyObject, Element: Sendable>: Recipient {
  @usableFromInline weak let owner: Owner?
  @usableFromInline let handler: (Owner, Element) -> Void

  @inlinable
  init(_ owner: Owner, _ handler: @escaping (Owner, Element) -> Void) {
    self.owner = owner
    self.handler = handler
  }

  @inlinable
  func deliver(_ element: Element) -> Bool {
    guard let owner else { return false }
    handler(owner, element)
    return true
  }

  @inlinable
  var isGone: Bool { owner == nil }
}

/// A handler that runs isolated to an actor, and ends with that actor.
@safe
@usableFromInline
struct ActorRecipient<Owner: Actor, Element: Sendable>: Recipient {
  // This reference is neither counted nor checked. The lane of an actor runs in a job of that actor, and the job holds
  // the actor. If the actor is gone there is no job, and the lane does not call this recipient.
  @usableFromInline let owner: Unmanaged<Owner>
  @usableFromInline let handler: (Owner, Element) -> Void

  @inlinable
  init(_ owner: Owner, _ handler: @escaping @Sendable (isolated Owner, Element) -> Void) {
    unsafe self.owner = Unmanaged.passUnretained(owner)
    // The lane calls the handler on the actor already. `assumeIsolated` would check that again in each call.
    self.handler = unsafe unsafeBitCast(handler, to: ((Owner, Element) -> Void).self)
  }

  @inlinable
  func deliver(_ element: Element) -> Bool {
    unsafe owner._withUnsafeGuaranteedRef { handler($0, element) }
    return true
  }

  @inlinable
  var isGone: Bool { false }
}

/// A recipient that also calls a closure when the source has ended. A recipient of its own, so that the many
/// observations without such a closure need no room for it.
@usableFromInline
struct EndingRecipient<Base: Recipient>: Recipient {
  @usableFromInline typealias Element = Base.Element

  @usableFromInline let base: Base
  @usableFromInline let onEnd: (Base) -> Void

  @inlinable
  init(_ base: Base, _ onEnd: @escaping (Base) -> Void) {
    self.base = base
    self.onEnd = onEnd
  }

  @inlinable
  func deliver(_ element: Element) -> Bool { base.deliver(element) }

  @inlinable
  var isGone: Bool { base.isGone }

  @inlinable
  func sourceEnded() { onEnd(base) }
}

// The captures of a handler, and an owner, may belong to only one isolation.
@available(*, unavailable)
extension HandlerRecipient: Sendable {}
@available(*, unavailable)
extension OwnedRecipient: Sendable {}
@available(*, unavailable)
extension ActorRecipient: Sendable {}
@available(*, unavailable)
extension EndingRecipient: Sendable {}
