/// The cursor of the joint cell of a list of sources. It contains a cursor for each source, and shows it what its cell
/// held. After the first element, it shows something only to the cursors whose cells were written.
@_documentation(visibility: internal)
public struct ListCursor<Base: BindingCursor>: BindingCursor {
  /// What the cells of all sources held at one instant.
  public typealias Element = JointList<Base.Origin>
  /// What the cells of all sources held at one instant.
  public typealias Origin = Element

  /// The innermost cursor.
  public var root: CellCursor<Origin>
  var sides: [CursorSide<Base>]
  /// The sum of the versions that the sides have seen.
  private(set) var version: UInt64 = 0
  /// The number of updates that the sides have skipped since the last stamp.
  private var skipped: UInt64 = 0
  // The versions of the items that the sides were shown; nil before the first element.
  private var shown: PersistentArray<UInt64>?

  /// - Parameters:
  ///   - operator: The name of the operator, for diagnostics.
  ///   - isOrdered: Whether readers ask which of the cells was written last.
  init(_ cursors: [Base], for operator: StaticString, isOrdered: Bool = false) {
    // An ordered joint cell among the cells needs the instants of the list too: see `Cell(joining:)`.
    let isOrdered = isOrdered || cursors.contains { $0.root.cell.isOrdered }
    let junction = ListJunction(cursors.map(\.root.viewed), isOrdered: isOrdered)
    let cell = Cell(JointList<Base.Origin>.empty, upstream: junction)
    cell.isMade(by: `operator`)
    if let first = cursors.first { cell.belongs(toHostOf: first.root.cell) }
    root = CellCursor(cell: cell)
    sides = cursors.map { CursorSide($0) }
  }

  /// Returns what all cells held at the next instant. All sides begin to read at the first instant.
  public mutating func next(in pass: PassSnapshot<Origin>?) -> Pull<Element> {
    let pull = root.nextFresh(in: pass)
    if case .element(let joint, _) = pull, shown == nil {
      let start = root.position.firstValue(or: joint)
      let depth = root.position.depth
      for (index, item) in start.items.enumerated() { sides[index].start(at: item, depth: depth) }
    }
    return pull
  }

  /// Returns the indices of the sides that have not been shown what `joint` holds, in ascending order. After this, the
  /// owner shows each of them its item.
  mutating func changes(to joint: Element) -> [Int] {
    defer { shown = joint.versions }
    guard let shown else { return Array(sides.indices) }
    return joint.versions.edits(from: shown).compactMap { edit in
      if case .update(let index, _, _) = edit { index } else { nil }
    }
  }

  /// Shows a side its item, and pulls all its elements. Returns true if there is a new element.
  mutating func drain(_ index: Int, _ joint: Element) -> Bool {
    show(index) { $0.drain(joint.items[index]) }
  }

  /// Shows a side something by `body`, and counts the versions that the side has seen and skipped.
  mutating func show<Result>(_ index: Int, _ body: (inout CursorSide<Base>) -> Result) -> Result {
    let seen = sides[index].version
    let result = body(&sides[index])
    version &+= sides[index].version &- seen
    // The side counts from when it is shown something.
    skipped &+= sides[index].skipped
    return result
  }

  /// Returns the next element that a side makes of what it was shown.
  mutating func pull(_ index: Int) -> Pull<Base.Element> {
    let (seen, before) = (sides[index].version, sides[index].skipped)
    let pull = sides[index].pull()
    version &+= sides[index].version &- seen
    skipped &+= sides[index].skipped &- before
    return pull
  }

  /// Returns the stamp of an element of the sides, and reports skipped updates only once.
  mutating func takeStamp(isInitial: Bool) -> Stamp {
    defer { skipped = 0 }
    return Stamp(version: version, skipped: skipped, isInitial: isInitial)
  }
}

extension ListCursor where Base: StateCursor {
  /// The current elements of all sources, at one instant.
  var currentElements: PersistentArray<Base.Element> {
    guard let joint = root.cell.snapshot else { preconditionFailure("a state has no value") }
    return PersistentArray(
      zip(sides, joint.items).map { side, item in
        var side = side
        side.start(at: item, depth: 1)
        guard side.drain(item), let element = side.newest else {
          preconditionFailure("a state has no value")
        }
        return element
      }
    )
  }
}
