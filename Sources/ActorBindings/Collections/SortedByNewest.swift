extension BindingSource {
  /// Sorts the elements of an array by the newest order. The result is a `StateSource` if this source and `orders` are.
  ///
  /// ```swift
  /// let rows = files.sorted(
  ///   by: column.map { column in { @Sendable in column.isInOrder($0, $1) } }
  /// )
  /// ```
  ///
  /// A reader sorts all elements again when it finds a new order, even if that order has the same effect as the former
  /// order: after that, each element counts as replaced. Otherwise the cost is that of `sorted(by:)` with one order. A
  /// reader reads the elements together with the order, as `combineLatest` does: both were current at the same instant.
  /// It receives nothing before there is an order. Reading `value` sorts all elements.
  @inlinable
  public func sorted<Element, Orders: BindingSource>(
    by orders: Orders
  ) -> DerivedSource<
    ElementsCursor<
      CombineLatestCursor<Cursor, MapCursor<Orders.Cursor, ElementOrder<Element>>>,
      some ElementsOperation<(Value, ElementOrder<Element>), PersistentArray<Element>>
    >
  > where Value == PersistentArray<Element>, Orders.Value == @Sendable (Element, Element) -> Bool {
    DerivedSource(
      ElementsCursor(
        base: combineLatest(self, orders.map(ElementOrder.init)).cursor,
        SortByNewest(SortedElements.init)
      )
    )
  }

  /// Sorts the entries of a dictionary into an array by the newest order. The result is a `StateSource` if this source
  /// and `orders` are.
  ///
  /// A reader sorts all entries again when it finds a new order: after that, each entry counts as replaced. Otherwise
  /// the cost is that of `sorted(by:)` with one order. A reader reads the entries together with the order, as
  /// `combineLatest` does: both were current at the same instant. Reading `value` sorts all entries.
  @inlinable
  public func sorted<Key, Element, Orders: BindingSource>(
    by orders: Orders
  ) -> DerivedSource<
    ElementsCursor<
      CombineLatestCursor<Cursor, MapCursor<Orders.Cursor, ElementOrder<(key: Key, value: Element)>>>,
      some ElementsOperation<
        (Value, ElementOrder<(key: Key, value: Element)>),
        PersistentArray<(key: Key, value: Element)>
      >
    >
  >
  where
    Value == PersistentDictionary<Key, Element>,
    Orders.Value == @Sendable ((key: Key, value: Element), (key: Key, value: Element)) -> Bool
  {
    DerivedSource(
      ElementsCursor(
        base: combineLatest(self, orders.map(ElementOrder.init)).cursor,
        SortByNewest(SortedEntries.init)
      )
    )
  }
}

/// An order with an identity: orders are compared by reference.
@_documentation(visibility: internal)
public final class ElementOrder<Element: Sendable>: Sendable {
  @usableFromInline let areInIncreasingOrder: @Sendable (Element, Element) -> Bool

  @inlinable
  init(_ areInIncreasingOrder: @escaping @Sendable (Element, Element) -> Bool) {
    self.areInIncreasingOrder = areInIncreasingOrder
  }
}

/// The operation of `sorted(by:)` with a source of orders.
@usableFromInline
struct SortByNewest<Element: Sendable, Operation: ElementsOperation>: ElementsOperation
where Operation.Output == PersistentArray<Element> {
  @usableFromInline let makeOperation: @Sendable (@escaping @Sendable (Element, Element) -> Bool) -> Operation
  // The operation with the current order; nil before the first order.
  @usableFromInline var operation: Operation?
  @usableFromInline var order: ElementOrder<Element>?

  @inlinable
  init(_ makeOperation: @escaping @Sendable (@escaping @Sendable (Element, Element) -> Bool) -> Operation) {
    self.makeOperation = makeOperation
  }

  /// The current elements in order.
  @inlinable
  var output: PersistentArray<Element> { operation?.output ?? [] }

  /// Puts the new elements in their places, or sorts all elements by a new order.
  @inlinable
  mutating func bringUpToDate(with input: (Operation.Input, ElementOrder<Element>)) -> Bool {
    if input.1 === order, operation != nil {
      return operation?.bringUpToDate(with: input.0) ?? false
    }
    order = input.1
    let hadElements = output.count > 0
    var operation = makeOperation(input.1.areInIncreasingOrder)
    let hasElements = operation.bringUpToDate(with: input.0)
    self.operation = operation
    return hadElements || hasElements
  }
}
