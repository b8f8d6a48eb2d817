/// An object that shows a collection, and applies changes to it: for example a table, a list of connections, or a
/// mirror of the data.
///
/// ```swift
/// posts.mapElements { PostRow($0) } ->> table
/// ```
///
/// A target first receives the whole collection, by `reset`. Then it receives the steps of each change, between
/// `beginUpdates` and `endUpdates`. The steps are in this order: removals, from the end; moves; insertions, from the
/// beginning; updates. An offset refers to the collection as the earlier steps have left it. A target need not
/// implement `beginUpdates` and `endUpdates`.
///
/// A class that is isolated to a global actor conforms on that actor: `extension Table: @MainActor CollectionTarget`.
public protocol CollectionTarget<Element>: AnyObject {
  /// The type of the elements.
  associatedtype Element: Sendable

  /// Replaces all elements with `elements`. The first change is a reset. A later reset takes the place of a change that
  /// would have more than sixteen steps, and more steps than there are new elements. A reset never comes between
  /// `beginUpdates` and `endUpdates`.
  func reset(_ elements: PersistentArray<Element>)

  /// Begins the steps of one change.
  func beginUpdates()
  /// Inserts `element` before the element at `offset`, or at the end.
  func insert(_ element: Element, at offset: Int)
  /// Removes the element at `offset`.
  func remove(at offset: Int)
  /// Replaces the element at `offset` with `element`.
  func update(_ element: Element, at offset: Int)
  /// Moves the element at `source`, so that it is at `destination` afterwards.
  func move(from source: Int, to destination: Int)
  /// Ends the steps of one change.
  func endUpdates()
}

extension CollectionTarget {
  /// Does nothing.
  public func beginUpdates() {}
  /// Does nothing.
  public func endUpdates() {}

  /// Applies a change: calls only `reset`, or calls `beginUpdates`, the method of each step, and `endUpdates`.
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
  /// Keeps `target` showing the elements of this source, on the isolation of the caller, until the target is
  /// deallocated.
  ///
  /// - Parameters:
  ///   - target: The target, which need not be Sendable. The binding holds it weakly. The target shows the current
  ///     elements before this method returns.
  ///   - backlog: The number of changes that may wait. A change for which there is no room is merged into the next
  ///     change.
  ///   - isolation: The actor that the caller runs on.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func bind<Target: CollectionTarget>(
    to target: Target,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken where Value == PersistentArray<Target.Element> {
    changes.observe(target, backlog: backlog, isolation: isolation, fileID: fileID, line: line) {
      $0.apply($1)
    }
  }

  /// Keeps `target` showing the elements of this source, on a context, until the target is deallocated.
  ///
  /// - Parameters:
  ///   - target: The target. The binding holds it weakly, and uses it only on the context.
  ///   - context: Where the target receives the changes.
  ///   - backlog: The number of changes that may wait. A change for which there is no room is merged into the next
  ///     change.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token to end the binding earlier than its target.
  @inlinable
  @discardableResult
  public func bind<Target: CollectionTarget & Sendable>(
    to target: Target,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken where Value == PersistentArray<Target.Element> {
    changes.observe(target, on: context, backlog: backlog, fileID: fileID, line: line) { $0.apply($1) }
  }
}

/// Keeps `target` showing the elements of `source`, on the main actor, until the target is deallocated. The binding
/// holds the target weakly.
///
/// This is `bind(to:)` on the main actor. Elsewhere, use `bind(to:)` on an actor, or `bind(to:on:)`.
@MainActor
@discardableResult
public func ->> <Source: BindingSource, Target: CollectionTarget>(
  source: Source,
  target: Target
) -> BindingToken where Source.Value == PersistentArray<Target.Element> {
  source.bind(to: target, fileID: "->>", line: 0)
}
