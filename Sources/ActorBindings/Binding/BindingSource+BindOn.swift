// On another context: objects, key paths and closures must be Sendable.

extension BindingSource {
  /// Keeps a property of `object` equal to this source, on a context, until `object` is gone.
  ///
  /// - Parameters:
  ///   - object: The object. The binding holds it weakly, and touches it only on the context.
  ///   - target: The property.
  ///   - context: Where the binding sets the property.
  ///   - backlog: How many values may wait.
  /// - Returns: A token to end the binding earlier than its object.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable>(
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Value> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog) { $0[keyPath: target] = $1 }
  }

  /// Keeps an optional property of `object` equal to this source, on a context.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable>(
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Value?> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog) { $0[keyPath: target] = $1 }
  }

  /// Keeps a property of `object` equal to what `transform` makes of this source, on a context.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable, Property>(
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Property> & Sendable,
    on context: DeliveryContext,
    transform: @escaping @Sendable (Value) -> Property,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog) { $0[keyPath: target] = transform($1) }
  }

  /// Keeps a property of `object` equal to a property of this source's values, on a context.
  ///
  /// ```swift
  /// user.bind(\.name, to: record, \.text, on: .queue(records))
  /// ```
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable, Property>(
    _ source: any KeyPath<Value, Property> & Sendable,
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Property> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog) { $0[keyPath: target] = $1[keyPath: source] }
  }

  /// Keeps an optional property of `object` equal to a property of this source's values, on a context.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable, Property>(
    _ source: any KeyPath<Value, Property> & Sendable,
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Property?> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog) { $0[keyPath: target] = $1[keyPath: source] }
  }

  /// Keeps a property of `object` equal to what `transform` makes of a property of this source's values, on a
  /// context.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable, SourceProperty, Property>(
    _ source: any KeyPath<Value, SourceProperty> & Sendable,
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Property> & Sendable,
    on context: DeliveryContext,
    transform: @escaping @Sendable (SourceProperty) -> Property,
    backlog: Backlog = .latest
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog) {
      $0[keyPath: target] = transform($1[keyPath: source])
    }
  }
}
