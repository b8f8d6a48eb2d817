/// A collection target made of three closures, for insertions, removals and updates.
///
/// ```swift
/// let bond = ArrayBond<Post>()
/// bond.inserted = { indices in table.insertRows(at: indices) }
/// bond.removed = { indices, posts in table.deleteRows(at: indices) }
/// bond.updated = { indices in table.reloadRows(at: indices) }
/// posts ->> bond
/// ```
///
/// For each change, the bond calls a closure once for consecutive steps of one kind: first for removals, then for
/// insertions, then for updates. While a closure runs, `elements` already includes the steps that this call reports.
/// The bond reports a move as a removal and an insertion. A reset removes all elements and inserts the new ones.
///
/// The binding holds its target weakly, so keep a reference to the bond. A bond is not Sendable: its closures run on
/// the isolation where you bind it, and you cannot pass a context (`on:`) when you bind it.
public final class ArrayBond<Element: Sendable>: CollectionTarget {
  /// Receives the current indices of the inserted elements, in ascending order.
  public var inserted: ([Int]) -> Void = { _ in }
  /// Receives the former indices of the removed elements, in descending order, and these elements in the same order.
  public var removed: ([Int], [Element]) -> Void = { _, _ in }
  /// Receives the indices of the elements that have replaced others, in ascending order.
  public var updated: ([Int]) -> Void = { _ in }

  /// The elements after the steps that the bond has received.
  public private(set) var elements: PersistentArray<Element> = []

  // The consecutive steps of one kind that the next call of a closure receives.
  private var insertions: [Int] = []
  private var removals: [(index: Int, element: Element)] = []
  private var updates: [Int] = []

  /// Creates a target whose closures do nothing yet.
  public init() {}

  /// Removes all elements, and inserts `elements`.
  public func reset(_ elements: PersistentArray<Element>) {
    let old = self.elements
    self.elements = []
    if !old.isEmpty { removed(old.indices.reversed(), old.reversed()) }
    self.elements = elements
    if !elements.isEmpty { inserted(Array(elements.indices)) }
  }

  /// Inserts `element` before the element at `offset`, or at the end.
  public func insert(_ element: Element, at offset: Int) {
    if insertions.isEmpty { report() }
    elements.insert(element, at: offset)
    insertions.append(offset)
  }

  /// Removes the element at `offset`.
  public func remove(at offset: Int) {
    if removals.isEmpty { report() }
    removals.append((offset, elements.remove(at: offset)))
  }

  /// Replaces the element at `offset` with `element`.
  public func update(_ element: Element, at offset: Int) {
    if updates.isEmpty { report() }
    elements.update(element, at: offset)
    updates.append(offset)
  }

  /// Moves an element: a removal, and then an insertion.
  public func move(from source: Int, to destination: Int) {
    report()
    let element = elements[source]
    remove(at: source)
    insert(element, at: destination)
    report()
  }

  /// Passes the remaining steps to their closure.
  public func endUpdates() {
    report()
  }

  private func report() {
    if !removals.isEmpty {
      let removals = removals
      self.removals = []
      removed(removals.map(\.index), removals.map(\.element))
    }
    if !insertions.isEmpty {
      let insertions = insertions
      self.insertions = []
      inserted(insertions)
    }
    if !updates.isEmpty {
      let updates = updates
      self.updates = []
      updated(updates)
    }
  }
}

// The closures may belong to only one isolation.
@available(*, unavailable)
extension ArrayBond: Sendable {}
