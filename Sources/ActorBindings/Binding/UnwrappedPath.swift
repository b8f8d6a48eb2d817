/// A key path to a property of an optional's value, as an argument of a subscript in another key path.
@usableFromInline
struct UnwrappedPath<Wrapped, Part>: Hashable, Sendable {
  @usableFromInline let path: any WritableKeyPath<Wrapped, Part> & Sendable

  @inlinable
  init(_ path: any WritableKeyPath<Wrapped, Part> & Sendable) {
    self.path = path
  }

  @inlinable
  static func == (one: UnwrappedPath, other: UnwrappedPath) -> Bool {
    one.path as AnyKeyPath == other.path as AnyKeyPath
  }

  @inlinable
  func hash(into hasher: inout Hasher) {
    hasher.combine(path as AnyKeyPath)
  }
}

extension Optional {
  // A property of the value: nil if there is no value. Writing changes nothing if there is no value, or if the new
  // property is nil.
  @usableFromInline
  subscript<Part>(part part: UnwrappedPath<Wrapped, Part>) -> Part? {
    @inlinable get { self?[keyPath: part.path] }
    @inlinable set { if let newValue { self?[keyPath: part.path] = newValue } }
  }

  // An optional property of the value: nil if there is no value. Writing changes nothing if there is no value.
  @usableFromInline
  subscript<Part>(flattened part: UnwrappedPath<Wrapped, Part?>) -> Part? {
    @inlinable get { self?[keyPath: part.path] ?? nil }
    @inlinable set { self?[keyPath: part.path] = newValue }
  }
}

extension WritableKeyPath {
  /// Appends a path. Both paths are Sendable, so the result is too: it captures what they capture.
  @inlinable
  func appending<Part>(sendable path: any WritableKeyPath<Value, Part> & Sendable)
    -> any WritableKeyPath<Root, Part> & Sendable
  {
    unsafe unsafeBitCast(
      appending(path: path as WritableKeyPath<Value, Part>),
      to: (any WritableKeyPath<Root, Part> & Sendable).self
    )
  }
}
