/// A cursor around another cursor. It has no position of its own: it reads at the position of the innermost cursor.
@_documentation(visibility: internal)
public protocol WrappingCursor<Base>: BindingCursor where Origin == Base.Origin, Root == Base.Root {
  /// The type of the cursor that this cursor wraps.
  associatedtype Base: BindingCursor

  /// The cursor that this cursor wraps.
  var base: Base { get set }
}

extension WrappingCursor {
  /// The innermost cursor.
  @inlinable
  public var root: Base.Root {
    get { base.root }
    _modify { yield &base.root }
  }

  /// The newest version of which the wrapped cursor has returned all elements.
  @inlinable public var completed: UInt64 { base.completed }
}
