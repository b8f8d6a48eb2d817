extension BindableActor {
  /// Returns a view of one part of the value, which can be read, written and observed like a cell.
  ///
  /// ```swift
  /// let name = user.lens(\.name)
  /// name.send("Ada")  // changes no other property of `user`
  /// let token = name.removeDuplicates().observe(on: .queue(log)) { print($0) }
  /// ```
  ///
  /// The lens does not keep the cell alive. Once the cell has ended, writes through the lens do nothing.
  @inlinable
  public nonisolated func lens<Part: Sendable>(
    _ path: any WritableKeyPath<Value, Part> & Sendable
  ) -> Lens<Value, Part> {
    Lens(cell, path)
  }

  /// Returns a view of one property of an optional value.
  ///
  /// While the value is nil, the property is nil, and a write through the lens leaves the value nil. Writing nil to the
  /// property changes nothing.
  @inlinable
  public nonisolated func lens<Wrapped, Part: Sendable>(
    _ path: any WritableKeyPath<Wrapped, Part> & Sendable
  ) -> Lens<Value, Part?> where Value == Wrapped? {
    Lens(cell, \Value.[part: UnwrappedPath(path)])
  }

  /// Returns a view of one optional property of an optional value.
  ///
  /// While the value is nil, the property is nil, and a write through the lens leaves the value nil.
  @inlinable
  public nonisolated func lens<Wrapped, Part: Sendable>(
    _ path: any WritableKeyPath<Wrapped, Part?> & Sendable
  ) -> Lens<Value, Part?> where Value == Wrapped? {
    Lens(cell, \Value.[flattened: UnwrappedPath(path)])
  }

  /// Returns a view of the value of one key of a Swift dictionary. To remove the key, send nil.
  ///
  /// Each write to the dictionary wakes the readers of the lens, and each write through the lens copies the dictionary.
  /// A ``BindableDictionary`` copies only a few nodes, and its `source(forKey:)` wakes only for its key.
  @inlinable
  public nonisolated func lens<Key: Hashable & Sendable, Element: Sendable>(
    forKey key: Key
  ) -> Lens<Value, Element?> where Value == [Key: Element] {
    Lens(cell, \Value.[key])
  }
}

/// A view of one part of a cell's value. It can be read, written and observed like a cell of that part.
///
/// A write changes only the part: it is a `modify` of the cell. So if two writers write different parts of one cell at
/// once, the cell has both writes afterwards. Each such write is an update of the cell, for the readers of other parts
/// too. Put `removeDuplicates()` behind a lens to receive only changes of the part. A write costs what `modify` of the
/// cell costs: a write that changes an element of a large array copies the array.
///
/// Like every source, a lens does not keep its cell alive. Once the cell has ended, writes do nothing, and `value`
/// stays.
public struct Lens<Whole: Sendable, Value: Sendable>: StateSource {
  @usableFromInline let cell: Cell<Whole>
  @usableFromInline let path: any WritableKeyPath<Whole, Value> & Sendable

  @inlinable
  init(_ cell: Cell<Whole>, _ path: any WritableKeyPath<Whole, Value> & Sendable) {
    self.cell = cell
    self.path = path
  }

  /// A cursor that has no position in the cell yet.
  @inlinable
  public var cursor: MapCursor<CellCursor<Whole>, Value> {
    MapCursor(base: CellCursor(cell: cell)) { [path] in $0[keyPath: path] }
  }
}

// MARK: - Reading

extension Lens {
  /// The current value of the part. Once a write has returned, every reader reads the written value or a newer value.
  @inlinable
  public var value: Value {
    get { cell.value[keyPath: path] }
    @available(*, unavailable, message: "use send(_:); if the new value depends on the old one, modify(_:)")
    set { send(newValue) }
  }
}

extension Lens: CustomStringConvertible {
  /// A description that names the types, such as `a lens of String in User`.
  public var description: String { "a lens of \(Value.self) in \(Whole.self)" }
}

// MARK: - Writing

extension Lens {
  /// Makes `value` the current value of the part, and changes nothing else. This is an update even if `value` equals
  /// the value before.
  @inlinable
  public func send(_ value: Value) {
    cell.modify { $0[keyPath: path] = value }
  }

  /// Changes the part in place, atomically.
  ///
  /// - Parameter body: A function that changes a copy of the part. It runs without a lock. If another writer changes
  ///   the cell meanwhile, also another part of it, the function runs again on the newer value, so it should have no
  ///   side effects. If it throws, the cell does not change. It must not write to this cell.
  /// - Returns: The result of the run of `body` whose change was published.
  @inlinable
  @discardableResult
  public func modify<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    try cell.modify { whole throws(E) in try body(&whole[keyPath: path]) }
  }

  /// Sends `value` unless the part equals it.
  ///
  /// - Returns: Whether it has sent `value`.
  @inlinable
  @discardableResult
  public func sendIfChanged(_ value: Value) -> Bool where Value: Equatable {
    replace { $0 == value ? nil : value }
  }

  /// Makes `new` the value of the part if the part equals `expected`.
  ///
  /// - Returns: Whether it has made `new` the value.
  @inlinable
  @discardableResult
  public func compareAndSet(_ expected: Value, _ new: Value) -> Bool where Value: Equatable {
    replace { $0 == expected ? .some(new) : nil }
  }

  @inlinable
  func replace(_ successor: (Value) -> Value?) -> Bool {
    cell.replace { whole in
      guard let new = successor(whole[keyPath: path]) else { return nil }
      var whole = whole
      whole[keyPath: path] = new
      return whole
    }
  }
}

// MARK: - Parts of the part

extension Lens {
  /// Returns a view of one part of this part.
  @inlinable
  public func lens<Part: Sendable>(
    _ path: any WritableKeyPath<Value, Part> & Sendable
  ) -> Lens<Whole, Part> {
    Lens<Whole, Part>(cell, self.path.appending(sendable: path))
  }

  /// Returns a view of one property of an optional part.
  ///
  /// While the part is nil, the property is nil, and a write through the lens leaves the part nil. Writing nil to the
  /// property changes nothing.
  @inlinable
  public func lens<Wrapped, Part: Sendable>(
    _ path: any WritableKeyPath<Wrapped, Part> & Sendable
  ) -> Lens<Whole, Part?> where Value == Wrapped? {
    lens(\Value.[part: UnwrappedPath(path)])
  }

  /// Returns a view of one optional property of an optional part.
  ///
  /// While the part is nil, the property is nil, and a write through the lens leaves the part nil.
  @inlinable
  public func lens<Wrapped, Part: Sendable>(
    _ path: any WritableKeyPath<Wrapped, Part?> & Sendable
  ) -> Lens<Whole, Part?> where Value == Wrapped? {
    lens(\Value.[flattened: UnwrappedPath(path)])
  }

  /// Returns a view of the value of one key, if the part is a Swift dictionary. To remove the key, send nil.
  @inlinable
  public func lens<Key: Hashable & Sendable, Element: Sendable>(
    forKey key: Key
  ) -> Lens<Whole, Element?> where Value == [Key: Element] {
    lens(\Value.[key])
  }
}

// MARK: - Transactions

extension BindingTransaction {
  /// The value of one part of a cell, as this transaction has read or written it.
  ///
  /// ```swift
  /// BindingTransaction.run { transaction in
  ///   transaction[user.lens(\.name)] = "Ada"
  ///   transaction[log].append("renamed")
  /// }
  /// ```
  ///
  /// Naming the part reads the whole cell: if another writer writes any part of it meanwhile, the body runs again.
  @inlinable
  public subscript<Whole, Value>(lens: Lens<Whole, Value>) -> Value {
    mutating get {
      unsafe log.entry(in: lens.cell).pointee.value[keyPath: lens.path]
    }
    _modify {
      let entry = unsafe log.entry(in: lens.cell)
      unsafe entry.pointee.base.isWritten = true
      let second = unsafe ThreadSanitizer.secondCopy(of: entry.pointee.value)
      defer { ThreadSanitizer.release(second) }
      yield unsafe &entry.pointee.value[keyPath: lens.path]
    }
  }
}
