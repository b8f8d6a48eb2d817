/// Merges the values of any number of sources, in the order in which they were written. Each value is one element.
///
/// ```swift
/// let events = merge(rooms.map(\.events))
/// for await event in events.values(backlog: .unbounded) { … }
/// ```
///
/// The result begins with the current value of each source, and ends when all sources have ended; without sources it
/// ends at once. Backlogs apply as with `merge(_:_:)`: a `.latest` reader receives the newest value of each source that
/// was written, the oldest first. The costs are those of `combineLatest` of a list: a write to one of n sources takes
/// O(log n) steps.
public func merge<Source: BindingSource>(_ sources: some Sequence<Source>) -> some BindingSource<Source.Value>
{
  DerivedSource(MergeListCursor(sources.map(\.cursor)))
}

/// The cursor of `merge` of a list.
struct MergeListCursor<Source: BindingCursor>: WrappingCursor {
  /// An element of one of the sources.
  typealias Element = Source.Element

  /// The cursor of the joint cell.
  var base: ListCursor<Source>
  // The sides that may have more elements of what they were shown, the newest first.
  private var pending: [Int] = []
  private var lastMove = LastMove()

  init(_ cursors: [Source]) {
    base = ListCursor(cursors, for: "merge", isOrdered: true)
  }

  /// The newest version that all sides have read to its end.
  var completed: UInt64 { lastMove.completed(at: root.seen) }

  /// Returns the next element of one of the sources. Reads at most one update: its caller may look up the instant of
  /// that update before.
  mutating func next(in pass: PassSnapshot<Base.Origin>?) -> Pull<Element> {
    if let pull = pullShown() { return pull }
    switch base.next(in: pass, noting: &lastMove) {
    case .element(let joint, let stamp):
      pending = base.changes(to: joint)
      for index in pending { base.show(index) { $0.show(joint.items[index]) } }
      // Values of one instant come in the order of the sources.
      pending.sort { (joint.items[$0].instant, $0) > (joint.items[$1].instant, $1) }
      return pullShown() ?? .rejected(base.takeStamp(isInitial: stamp.isInitial))
    case .rejected(let stamp): return .rejected(stamp)
    case .idle: return .idle
    case .finished: return .finished
    }
  }

  // Returns the next element, or rejection, of what the sides were shown; nil if there is none.
  private mutating func pullShown() -> Pull<Element>? {
    while let index = pending.last {
      switch base.pull(index) {
      case .element(let element, let stamp):
        return .element(element, base.takeStamp(isInitial: stamp.isInitial))
      // Another side may have a current value, which a reader receives at once.
      case .rejected(let stamp) where stamp.isInitial: continue
      case .rejected(let stamp): return .rejected(base.takeStamp(isInitial: stamp.isInitial))
      case .idle, .finished: pending.removeLast()
      }
    }
    return nil
  }
}
