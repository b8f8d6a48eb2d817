// Each binding is an ordinary observation, whose handler sets the property.

// On the caller's own isolation.

extension BindingSource {
  /// Keeps a property of `object` equal to this source, on the isolation of the caller, until `object` is deallocated.
  ///
  /// ```swift
  /// user.map(\.name).bind(to: label, \.text)
  /// ```
  ///
  /// - Parameters:
  ///   - object: The object, which the binding holds weakly. It need not be Sendable. When `bind` returns, the property
  ///     has the current value.
  ///   - target: The property.
  ///   - backlog: The number of values that may wait until the binding sets the property.
  ///   - isolation: The actor that the caller runs on.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `object` is deallocated.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject>(
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Value>,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation, fileID: fileID, line: line) {
      $0[keyPath: target] = $1
    }
  }

  /// Keeps an optional property of `object` equal to this source.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject>(
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Value?>,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation, fileID: fileID, line: line) {
      $0[keyPath: target] = $1
    }
  }

  /// Keeps a property of `object` equal to what `transform` makes of this source, such as a property of its values.
  ///
  /// ```swift
  /// user.bind(\.name, to: label, \.text)
  /// user.bind({ $0.name.uppercased() }, to: header, \.text)
  /// ```
  ///
  /// - Parameters:
  ///   - transform: A key path literal, or a function. For a stored key path, pass `{ $0[keyPath: path] }`. The
  ///     function runs where the binding sets the property, and need not be Sendable.
  ///   - object: The object. The binding holds it weakly.
  ///   - target: The property, which may be optional.
  ///   - backlog: The number of values that may wait until the binding sets the property.
  ///   - isolation: The actor that the caller runs on.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `object` is deallocated.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject, Property>(
    _ transform: @escaping (Value) -> Property,
    to object: Object,
    _ target: ReferenceWritableKeyPath<Object, Property>,
    backlog: Backlog = .latest,
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation, fileID: fileID, line: line) {
      $0[keyPath: target] = transform($1)
    }
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
    isolation: isolated `actor of the caller; elsewhere pass on:` = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, backlog: backlog, isolation: isolation, fileID: fileID, line: line) {
      $0[keyPath: target] = transform($1[keyPath: source])
    }
  }
}

// On another context: objects, key paths and closures must be Sendable.

extension BindingSource {
  /// Keeps a property of `object` equal to this source, on a context, until `object` is deallocated.
  ///
  /// - Parameters:
  ///   - object: The object. The binding holds it weakly, and touches it only on the context.
  ///   - target: The property.
  ///   - context: Where the binding sets the property.
  ///   - backlog: The number of values that may wait until the binding sets the property.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `object` is deallocated.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable>(
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Value> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog, fileID: fileID, line: line) { $0[keyPath: target] = $1 }
  }

  /// Keeps an optional property of `object` equal to this source, on a context.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable>(
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Value?> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog, fileID: fileID, line: line) { $0[keyPath: target] = $1 }
  }

  /// Keeps a property of `object` equal to what `transform` makes of this source, on a context.
  ///
  /// ```swift
  /// user.bind(\.name, to: record, \.text, on: .queue(records))
  /// ```
  ///
  /// - Parameters:
  ///   - transform: A key path literal, or a function. It runs on the context.
  ///   - object: The object. The binding holds it weakly, and touches it only on the context.
  ///   - target: The property, which may be optional.
  ///   - context: Where the binding sets the property.
  ///   - backlog: The number of values that may wait until the binding sets the property.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before `object` is deallocated.
  @inlinable
  @discardableResult
  public func bind<Object: AnyObject & Sendable, Property>(
    _ transform: @escaping @Sendable (Value) -> Property,
    to object: Object,
    _ target: any ReferenceWritableKeyPath<Object, Property> & Sendable,
    on context: DeliveryContext,
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    observe(object, on: context, backlog: backlog, fileID: fileID, line: line) {
      $0[keyPath: target] = transform($1)
    }
  }
}
