/// One step from one array to another. Offsets refer to the array after all earlier steps.
public enum ArrayEdit<Element: Sendable>: Sendable {
  /// Inserts `element` before the element at `offset`, or at the end.
  case insert(offset: Int, element: Element)
  /// Removes `element`, which is at `offset`.
  case remove(offset: Int, element: Element)
  /// Replaces `old` with `element` at `offset`. The two elements may be equal.
  case update(offset: Int, element: Element, old: Element)
  /// Moves `element` from offset `from`. After the step it is at offset `to`.
  case move(from: Int, to: Int, element: Element)
}

extension ArrayEdit: Equatable where Element: Equatable {}

extension ArrayEdit: CustomStringConvertible {
  /// A description of the step, such as `insert(tea, at: 1)`.
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
  /// Returns the same step with each element transformed by `transform`.
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
  /// Applies the steps in order.
  @inlinable
  public mutating func apply(_ edits: some Sequence<ArrayEdit<Element>>) {
    for edit in edits { apply(edit) }
  }

  /// Applies one step.
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
  /// Applies one step. A moved element remains the same element.
  @inlinable
  public mutating func apply(_ edit: ArrayEdit<Element>) {
    switch edit {
    case .insert(let offset, let element): insert(element, at: offset)
    case .remove(let offset, _): remove(at: offset)
    case .update(let offset, let element, _): update(element, at: offset)
    case .move(let source, let destination, _): move(from: source, to: destination)
    }
  }

  /// Applies the steps in order.
  @inlinable
  public mutating func apply(_ edits: some Sequence<ArrayEdit<Element>>) {
    for edit in edits { apply(edit) }
  }

  /// Returns this array after these steps.
  @inlinable
  public func applying(_ edits: some Sequence<ArrayEdit<Element>>) -> PersistentArray {
    var result = self
    result.apply(edits)
    return result
  }
}
