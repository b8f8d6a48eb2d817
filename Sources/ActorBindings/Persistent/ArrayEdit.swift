/// One step from one array to another. Offsets count in the array as the steps before this one have left it.
public enum ArrayEdit<Element: Sendable>: Sendable {
  /// `element` comes in before what is at `offset`.
  case insert(offset: Int, element: Element)
  /// `element`, which is at `offset`, goes.
  case remove(offset: Int, element: Element)
  /// `element` takes the place of `old`, at `offset`. It may be equal to it.
  case update(offset: Int, element: Element, old: Element)
  /// `element` leaves its place at `from`, and is at `to` when the step is taken.
  case move(from: Int, to: Int, element: Element)
}

extension ArrayEdit: Equatable where Element: Equatable {}

extension ArrayEdit: CustomStringConvertible {
  /// What is done, as `insert(tea, at: 1)`.
  public var description: String {
    switch self {
    case .insert(let offset, let element): "insert(\(element), at: \(offset))"
    case .remove(let offset, let element): "remove(\(element), at: \(offset))"
    case .update(let offset, let element, let old): "update(\(element), at: \(offset), old: \(old))"
    case .move(let source, let destination, let element):
      "move(\(element), from: \(source), to: \(destination))"
    }
  }
}

extension ArrayEdit {
  /// The same step between arrays of what `transform` makes of the elements.
  @inlinable
  public func map<T>(_ transform: (Element) throws -> T) rethrows -> ArrayEdit<T> {
    switch self {
    case .insert(let offset, let element): .insert(offset: offset, element: try transform(element))
    case .remove(let offset, let element): .remove(offset: offset, element: try transform(element))
    case .update(let offset, let element, let old):
      .update(offset: offset, element: try transform(element), old: try transform(old))
    case .move(let source, let destination, let element):
      .move(from: source, to: destination, element: try transform(element))
    }
  }
}

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
  /// Takes the steps, one after the other.
  @inlinable
  public mutating func apply(_ edits: some Sequence<ArrayEdit<Element>>) {
    for edit in edits { apply(edit) }
  }

  /// Takes one step.
  @inlinable
  public mutating func apply(_ edit: ArrayEdit<Element>) {
    switch edit {
    case .insert(let offset, let element): insert(element, at: startIndex + offset)
    case .remove(let offset, _): remove(at: startIndex + offset)
    case .update(let offset, let element, _): self[startIndex + offset] = element
    case .move(let source, let destination, _):
      insert(remove(at: startIndex + source), at: startIndex + destination)
    }
  }
}

extension PersistentArray {
  /// Takes one step. A moved element stays the one that it was.
  @inlinable
  public mutating func apply(_ edit: ArrayEdit<Element>) {
    switch edit {
    case .insert(let offset, let element): insert(element, at: offset)
    case .remove(let offset, _): remove(at: offset)
    case .update(let offset, let element, _): update(element, at: offset)
    case .move(let source, let destination, _): move(from: source, to: destination)
    }
  }

  /// Takes the steps, one after the other.
  @inlinable
  public mutating func apply(_ edits: some Sequence<ArrayEdit<Element>>) {
    for edit in edits { apply(edit) }
  }

  /// This array after these steps.
  @inlinable
  public func applying(_ edits: some Sequence<ArrayEdit<Element>>) -> PersistentArray {
    var result = self
    result.apply(edits)
    return result
  }
}
