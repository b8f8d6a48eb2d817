/// A collection target of three closures: what was inserted, what was removed, and what was updated.
///
/// ```swift
/// let bond = ArrayBond<Post>()
/// bond.inserted = { indices in table.insertRows(at: indices) }
/// bond.removed = { indices, posts in table.deleteRows(at: indices) }
/// bond.updated = { indices in table.reloadRows(at: indices) }
/// posts ->> bond
/// ```
///
/// A change calls a closure once for all steps of its kind that follow each other: first what was removed, then what was
/// inserted, then what was updated. While a closure runs, `elements` already includes what it is told. A moved element is
/// removed and inserted; a reset removes all and inserts all.
///
/// It is held weakly, as every target: keep it. It is not Sendable, so it is told on the isolation where it was bound, and
/// not `on:` a context.
public final class ArrayBond<Element: Sendable>: CollectionTarget {
  /// Is handed the indices, in ascending order, of elements that have come: where they are now.
  public var inserted: ([Int]) -> Void = { _ in }
  /// Is handed the indices, in descending order, where elements were before they went, and these elements, in that order.
  public var removed: ([Int], [Element]) -> Void = { _, _ in }
  /// Is handed the indices, in ascending order, of elements that have taken the place of others.
  public var updated: ([Int]) -> Void = { _ in }

  /// The elements, as the closures have told.
  public private(set) var elements: PersistentArray<Element> = []

  // Steps of one kind, which are told together.
  private var insertions: [Int] = []
  private var removals: [(index: Int, element: Element)] = []
  private var updates: [Int] = []

  /// A target that does nothing yet.
  public init() {}

  /// Removes all elements, and inserts these.
  public func reset(_ elements: PersistentArray<Element>) {
    let old = self.elements
    self.elements = []
    if !old.isEmpty { removed(old.indices.reversed(), old.reversed()) }
    self.elements = elements
    if !elements.isEmpty { inserted(Array(elements.indices)) }
  }

  /// An element comes.
  public func insert(_ element: Element, at offset: Int) {
    if insertions.isEmpty { tell() }
    elements.insert(element, at: offset)
    insertions.append(offset)
  }

  /// An element goes.
  public func remove(at offset: Int) {
    if removals.isEmpty { tell() }
    removals.append((offset, elements.remove(at: offset)))
  }

  /// An element takes the place of another.
  public func update(_ element: Element, at offset: Int) {
    if updates.isEmpty { tell() }
    elements.update(element, at: offset)
    updates.append(offset)
  }

  /// An element goes, and comes in elsewhere.
  public func move(from source: Int, to destination: Int) {
    tell()
    let element = elements[source]
    remove(at: source)
    insert(element, at: destination)
    tell()
  }

  /// Tells what has come last.
  public func endUpdates() {
    tell()
  }

  private func tell() {
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

// Its closures may belong to one isolation alone.
@available(*, unavailable)
extension ArrayBond: Sendable {}
