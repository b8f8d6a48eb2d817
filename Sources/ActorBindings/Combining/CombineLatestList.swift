/// Combines the newest values of any number of sources. The combination is a `StateSource` if the sources are.
///
/// ```swift
/// let load = combineLatest(workers.map(\.load)).map { $0.reduce(0, +) }
/// ```
///
/// An element holds what all sources held at one instant, as with `combineLatest(_:_:)`, in the order of the sources.
/// It is a ``PersistentArray``, because copying an array of n elements for each write would cost n steps. The
/// combination begins when all sources have a value, and ends when all have ended. A combination of no sources has one
/// element, the empty array, and then ends.
///
/// A write to one of n sources takes O(log n) steps, for the writer and for each reader. To begin and to end, the
/// readers together take O(n) steps, and each reader takes O(n) steps to read its first element. While other threads
/// write other sources at that very moment, a look may take O(n) steps. The same holds for each write if the
/// combination is itself combined with other sources, and for each reading of `value`.
///
/// The sources have one type, and are those in the sequence at the time of the call. The combination keeps no cell
/// alive. Readers of one returned source share one joint cell. Each call creates another.
public func combineLatest<Source: BindingSource>(
  _ sources: some Sequence<Source>
) -> DerivedSource<CombineLatestListCursor<Source.Cursor>> {
  DerivedSource(CombineLatestListCursor(sources.map(\.cursor)))
}

/// The cursor of `combineLatest` of a list.
@_documentation(visibility: internal)
public struct CombineLatestListCursor<Source: BindingCursor>: WrappingCursor {
  /// One element of each source.
  public typealias Element = PersistentArray<Source.Element>

  /// The cursor of the joint cell.
  public var base: ListCursor<Source>
  // The number of sources without an element.
  private var missing: Int
  // Nil until each source has an element.
  private var elements: PersistentArray<Source.Element>?

  init(_ cursors: [Source]) {
    base = ListCursor(cursors, for: "combineLatest")
    missing = cursors.count
  }

  /// Returns the next element, or `.rejected` if no source has a new element, or if one source has had no element yet.
  public mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    base.next(in: pass).flatMap { joint, stamp in
      var isNew = base.sides.isEmpty
      for index in base.changes(to: joint) {
        let isFirst = base.sides[index].newest == nil
        guard base.drain(index, joint), let newest = base.sides[index].newest else { continue }
        isNew = true
        if isFirst { missing -= 1 }
        elements?.update(newest, at: index)
      }
      let stamp = base.takeStamp(isInitial: stamp.isInitial)
      guard isNew, missing == 0 else { return .rejected(stamp) }
      let elements = self.elements ?? PersistentArray(base.sides.compactMap(\.newest))
      self.elements = elements
      return .element(elements, stamp)
    }
  }
}

extension CombineLatestListCursor: StateCursor where Source: StateCursor {
  /// The current elements of all sources, at one instant.
  public var current: Element { base.currentElements }
}
