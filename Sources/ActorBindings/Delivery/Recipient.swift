/// Who is handed the elements of an observation.
@usableFromInline
package protocol Recipient<Element> {
  associatedtype Element: Sendable

  /// Makes the call. False if there is nobody left to call. Only on the observation's context.
  func receive(_ element: Element) -> Bool

  /// Whether there is nobody left to call. Only on the observation's context.
  var isGone: Bool { get }
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
@usableFromInline
struct ActorRecipient<Owner: Actor, Element: Sendable>: Recipient, Sendable {
  @usableFromInline weak let owner: Owner?
  @usableFromInline let handler: @Sendable (isolated Owner, Element) -> Void

  @inlinable
  init(_ owner: Owner, _ handler: @escaping @Sendable (isolated Owner, Element) -> Void) {
    self.owner = owner
    self.handler = handler
  }

  @inlinable
  func receive(_ element: Element) -> Bool {
    guard let owner else { return false }
    // The lane of an actor runs on that actor.
    let handler = handler
    owner.assumeIsolated { handler($0, element) }
    return true
  }

  @inlinable
  var isGone: Bool { owner == nil }
}

// What a handler or an owner captured may belong to one isolation alone.
@available(*, unavailable)
extension HandlerRecipient: Sendable {}
@available(*, unavailable)
extension OwnedRecipient: Sendable {}
