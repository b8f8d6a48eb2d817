extension BindingSource {
  /// Transforms each value. The result is a `StateSource` if this source is one.
  ///
  /// ```swift
  /// let names = user.map(\.name)
  /// ```
  ///
  /// `transform` runs once for each reader and element, on the context or in the task of that reader, and never under a
  /// lock.
  @inlinable
  public func map<T: Sendable>(
    _ transform: @escaping @Sendable (Value) -> T
  ) -> DerivedSource<MapCursor<Cursor, T>> {
    DerivedSource(MapCursor(base: cursor, transform: transform))
  }

  /// Reads one property of each value. Use this method if you have the key path in a variable.
  ///
  /// `map(\.name)`, with the key path in the call, uses the other method, whose closure the compiler can inline. This
  /// method reads each value through the key path.
  @inlinable
  @_disfavoredOverload
  public func map<T: Sendable>(
    _ property: any KeyPath<Value, T> & Sendable
  ) -> DerivedSource<MapCursor<Cursor, T>> {
    map { $0[keyPath: property] }
  }
}

/// The cursor of `map`.
@_documentation(visibility: internal)
public struct MapCursor<Base: BindingCursor, Element: Sendable>: WrappingCursor {
  /// Whether the wrapped cursor may be inlined into loops.
  @inlinable public static var mayBeInlinedIntoLoops: Bool { Base.mayBeInlinedIntoLoops }

  /// The cursor that this cursor wraps.
  public var base: Base
  @usableFromInline let transform: @Sendable (Base.Element) -> Element

  @inlinable
  init(base: Base, transform: @escaping @Sendable (Base.Element) -> Element) {
    self.base = base
    self.transform = transform
  }

  /// Returns the next element, transformed.
  @inlinable
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).map(transform)
  }
}

extension MapCursor: StateCursor where Base: StateCursor {
  /// The current element, transformed again on each read.
  @inlinable
  public var current: Element { transform(base.current) }
}
