/// What shows a collection, and can be told what changes in it: a table, a list of connections, a mirror of the data.
///
/// ```swift
/// posts.mapElements { PostRow($0) } ->> table
/// ```
///
/// It is told the whole first, by `reset`, and then the steps of each change, between `beginUpdates` and `endUpdates`. An
/// offset counts in the collection as the steps before have left it; of one change these are removals, from the end, then
/// moves, then insertions, from the beginning, then updates. `beginUpdates` and `endUpdates` may be left out.
///
/// A class that belongs to a global actor conforms on it: `extension Table: @MainActor CollectionTarget`.
public protocol CollectionTarget<Element>: AnyObject {
  /// What it shows.
  associatedtype Element: Sendable

  /// Forgets what was there: these are all elements. It comes first, and again where a change would have more steps than
  /// there are elements; never between `beginUpdates` and `endUpdates`.
  func reset(_ elements: PersistentArray<Element>)

  /// The steps of one change begin.
  func beginUpdates()
  /// `element` comes in before what is at `offset`.
  func insert(_ element: Element, at offset: Int)
  /// The element at `offset` goes.
  func remove(at offset: Int)
  /// `element` takes the place of the one at `offset`.
  func update(_ element: Element, at offset: Int)
  /// The element at `source` leaves its place, and is at `destination` then.
  func move(from source: Int, to destination: Int)
  /// This was all of it.
  func endUpdates()
}

extension CollectionTarget {
  /// Does nothing.
  public func beginUpdates() {}
  /// Does nothing.
  public func endUpdates() {}

  /// Tells this target what is to be done: `reset` alone, or the steps between `beginUpdates` and `endUpdates`.
  @inlinable
  public func apply(_ change: ArrayChange<Element>) {
    switch change.content {
    case .reset(let all): reset(all)
    case .edits(let edits):
      beginUpdates()
      for edit in edits {
        switch edit {
        case .insert(let offset, let element): insert(element, at: offset)
        case .remove(let offset, _): remove(at: offset)
        case .update(let offset, let element, _): update(element, at: offset)
        case .move(let source, let destination, _): move(from: source, to: destination)
        }
      }
      endUpdates()
    }
  }
}

// MARK: - Binding

extension BindingSource {
  /// Keeps `target` showing the elements of this source, on the isolation of the caller, until the target is gone.
  ///
  /// - Parameters:
  ///   - target: Is held weakly, and need not be Sendable. It shows the current elements before this returns.
  ///   - backlog: How many changes may wait; those that do not find room are merged into the next one.
  ///   - isolation: The actor that the caller runs on.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func bind<Target: CollectionTarget>(
    to target: Target,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken where Value == PersistentArray<Target.Element> {
    observeChanges(target, backlog: backlog, isolation: isolation) { $0.apply($1) }
  }

  /// Keeps `target` showing the elements of this source, on a context, until the target is gone.
  ///
  /// - Parameters:
  ///   - target: Is held weakly, and touched on the context alone.
  ///   - context: Where it is told.
  ///   - backlog: How many changes may wait; those that do not find room are merged into the next one.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func bind<Target: CollectionTarget & Sendable>(
    to target: Target,
    on context: DeliveryContext,
    backlog: Backlog = .latest
  ) -> BindingToken where Value == PersistentArray<Target.Element> {
    observeChanges(target, on: context, backlog: backlog) { $0.apply($1) }
  }
}

/// Keeps `target` showing the elements of `source`, on the main actor, until the target is gone. The target is held weakly.
///
/// It is `bind(to:)` of the main actor. Elsewhere, use `bind(to:)` on an actor, or `bind(to:on:)`.
@MainActor
@discardableResult
public func ->> <Source: BindingSource, Target: CollectionTarget>(
  source: Source,
  target: Target
) -> BindingToken where Source.Value == PersistentArray<Target.Element> {
  source.bind(to: target)
}
