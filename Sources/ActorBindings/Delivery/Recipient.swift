/// Who is handed the elements of an observation.
@usableFromInline
package protocol Recipient<Element> {
  associatedtype Element: Sendable

  /// Makes the call. False if there is nobody left to call. Only on the observation's context.
  func receive(_ element: Element) -> Bool

  /// Whether there is nobody left to call. Only on the observation's context.
  var isGone: Bool { get }

  /// The source has ended, and all was handed over. Only on the observation's context.
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
  func receive(_ element: Element) -> Bool {
    handler(element)
    return true
  }

  @inlinable
  var isGone: Bool { false }
}

/// A handler that ends with its owner.
///
/// The owner becomes strong for the call alone, on its own context: to make it strong elsewhere could run its
/// deinit there.
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
  func receive(_ element: Element) -> Bool {
    guard let owner else { return false }
    handler(owner, element)
    return true
  }

  @inlinable
  var isGone: Bool { owner == nil }
}

/// A handler that runs isolated to an actor, and ends with it.
@safe
@usableFromInline
struct ActorRecipient<Owner: Actor, Element: Sendable>: Recipient {
  // Neither counted nor checked: the lane of an actor runs in a job of that actor, which holds it; if there is no
  // actor any more, there is no job, and nobody comes here.
  @usableFromInline let owner: Unmanaged<Owner>
  @usableFromInline let handler: (Owner, Element) -> Void

  @inlinable
  init(_ owner: Owner, _ handler: @escaping @Sendable (isolated Owner, Element) -> Void) {
    unsafe self.owner = Unmanaged.passUnretained(owner)
    // It is called where it wants to be, which `assumeIsolated` would find out anew for each call.
    self.handler = unsafe unsafeBitCast(handler, to: ((Owner, Element) -> Void).self)
  }

  @inlinable
  func receive(_ element: Element) -> Bool {
    unsafe owner._withUnsafeGuaranteedRef { handler($0, element) }
    return true
  }

  @inlinable
  var isGone: Bool { false }
}

// What a handler or an owner captured may belong to one isolation alone.
@available(*, unavailable)
extension HandlerRecipient: Sendable {}
@available(*, unavailable)
extension OwnedRecipient: Sendable {}
@available(*, unavailable)
extension ActorRecipient: Sendable {}
