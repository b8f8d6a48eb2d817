// Each binding is an ordinary observation, whose handler assigns.

// On the caller's own isolation.

extension BindingSource {
  /// Keeps a property of `object` equal to this source, on the isolation of the caller, until `object` is gone.
  ///
  /// ```swift
  /// user.map(\.name).bind(to: label, \.text)
  /// ```
  ///
  /// - Parameters:
  ///   - object: The object. The binding holds it weakly. It need not be Sendable. `bind` sets the property before it
  ///     returns.
  ///   - target: The property.
  ///   - backlog: How many values may wait.
  ///   - isolation: The actor that the caller runs on.
  /// - Returns: A token to end the binding earlier than its object.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject>(
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Value>,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation) { $0[keyPath: target] = $1 }
  }

  /// Keeps an optional property of `object` equal to this source.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject>(
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Value?>,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation) { $0[keyPath: target] = $1 }
  }

  /// Keeps a property of `object` equal to what `transform` makes of this source.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject, Property>(
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Property>,
    transform: @escaping (Value) -> Property,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation) { $0[keyPath: target] = transform($1) }
  }

  /// Keeps a property of `object` equal to a property of this source's values.
  ///
  /// ```swift
  /// user.bind(\.name, to: label, \.text)
  /// ```
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject, Property>(
    _ source: KeyPath<Value, Property>,
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Property>,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation) { $0[keyPath: target] = $1[keyPath: source] }
  }

  /// Keeps an optional property of `object` equal to a property of this source's values.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject, Property>(
    _ source: KeyPath<Value, Property>,
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Property?>,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation) { $0[keyPath: target] = $1[keyPath: source] }
  }

  /// Keeps a property of `object` equal to what `transform` makes of a property of this source's values.
  ///
  /// ```swift
  /// user.bind(\.followersCount, to: label, \.text, transform: String.init)
  /// ```
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject, SourceProperty, Property>(
    _ source: KeyPath<Value, SourceProperty>,
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Property>,
    transform: @escaping (SourceProperty) -> Property,
    backlog: Backlog = .latest,
    isolation: isolated any Actor = #isolation
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation) {
      $0[keyPath: target] = transform($1[keyPath: source])
    }
  }
}
