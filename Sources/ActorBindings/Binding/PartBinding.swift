extension BindableActor {
  /// Keeps one part of this cell's value equal to another cell, beginning with the value of the part.
  ///
  /// ```swift
  /// user.bindTwoWay(\.name, to: field)
  /// ```
  ///
  /// When this method returns, `other` has the value of the part. From then on, soon after a write to one side, the
  /// binding writes the newest value to the other side. It writes only the part, and only if no other writer has written
  /// this cell since the binding read it. So the binding never puts back another part that a writer has changed. A write
  /// to this cell that leaves the part as it is does not count, and the binding writes nothing for it.
  ///
  /// If both sides were written before the binding has looked, the later write stays. For this cell, the time of its last
  /// write counts, even if that write changed another part. If one transaction has written both sides, the part stays. If
  /// the setter of the part changes the value, the other cell keeps what its writer wrote, and the two sides differ. The
  /// binding ends when one of the cells is deallocated. If one cell has finished, the binding ends at the next write to
  /// the other cell.
  ///
  /// - Parameters:
  ///   - path: The part.
  ///   - other: The other cell. The binding keeps neither cell alive.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  /// - Returns: A token that can end the binding before the cells are deallocated.
  @discardableResult
  public nonisolated func bindTwoWay<Part: Equatable & Sendable>(
    _ path: any WritableKeyPath<Value, Part> & Sendable,
    to other: BindableActor<Part>,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingToken {
    var cursor = CellCursor(
      cell: Cell(joining: self.cursor, other.cursor, for: "bindTwoWay", isOrdered: true)
    )
    // As in `bindTwoWay(to:)`: once the position is taken, each write to either cell has an instant.
    cursor.begin(depth: Backlog.latest.depth, reserved: nil)
    let binding = PartBinding(self, path, other)
    let observation = CursorObservation(
      cursor,
      binding,
      endsWithToken: false,
      isConfined: false,
      site: CallSite(fileID, line)
    )
    cursor.cell.start(observation, depth: nil, on: DeliveryContext(isolation: self))
    return BindingToken(observation)
  }
}

/// Keeps a part of one cell equal to another cell. It receives what both cells hold at one instant, and knows which
/// versions it has made equal, and the value of the part then.
///
/// The part counts as written if it differs from that value. When the binding has written the part, that value is what
/// the part returns then: its setter may change what is written.
///
/// The binding publishes what it writes only if the written cell still has the version that the binding saw. Otherwise
/// the binding writes nothing: it will receive the newer value of that cell.
// @unchecked: only the binding's observation uses this object, one call at a time.
private final class PartBinding<Whole: Sendable, Part: Equatable & Sendable>: Recipient, @unchecked Sendable {
  private weak let whole: BindableActor<Whole>?
  private weak let other: BindableActor<Part>?
  private let path: any WritableKeyPath<Whole, Part> & Sendable

  // The versions that the binding has made equal, and the value of the part then.
  private var equal: (whole: UInt64, other: UInt64)
  private var part: Part

  /// Makes the other cell equal to the part.
  init(
    _ whole: BindableActor<Whole>,
    _ path: any WritableKeyPath<Whole, Part> & Sendable,
    _ other: BindableActor<Part>
  ) {
    (self.whole, self.path, self.other) = (whole, path, other)
    let begin = whole.cell.draft
    let part = begin.value[keyPath: path]
    self.part = part
    equal = (begin.version, Self.overwrite(other.cell, with: part))
  }

  var isGone: Bool { whole == nil || other == nil }

  func deliver(_ joint: JointValue<Whole, Part>) -> Bool {
    guard let whole, let other else { return false }
    guard let ofWhole = joint.left.value, let ofOther = joint.right.value else { return true }
    let ofPart = ofWhole[keyPath: path]
    var versions = (whole: joint.left.version, other: joint.right.version)
    let isPartNew = versions.whole != equal.whole && ofPart != part
    let isOtherNew = versions.other != equal.other
    if isOtherNew, !isPartNew || joint.left.instant < joint.right.instant {
      var merged = ofWhole
      if ofPart != ofOther {
        merged[keyPath: path] = ofOther
        guard replace(versions.whole, of: whole.cell, with: merged) else { return true }
        versions.whole &+= 1
      }
      part = merged[keyPath: path]
    } else if isPartNew {
      if ofPart != ofOther {
        guard replace(versions.other, of: other.cell, with: ofPart) else { return true }
        versions.other &+= 1
      }
      part = ofPart
    }
    equal = versions
    return !whole.cell.hasEnded(at: versions.whole) && !other.cell.hasEnded(at: versions.other)
  }

  // Writes `value`, if the cell still has `version`. Returns false if another writer got in first.
  private func replace<Value>(_ version: UInt64, of cell: Cell<Value>, with value: Value) -> Bool {
    var draft = Draft(value: value, version: version)
    var contention = Contention()
    return cell.publish(&draft, &contention) != .outrun
  }

  // Writes `value`, even if other writers get in between. Returns the version that holds `value`, or an equal value. If
  // the cell has finished, returns its last version.
  private static func overwrite(_ cell: Cell<Part>, with value: Part) -> UInt64 {
    var draft = cell.draft
    var contention = Contention()
    while true {
      if draft.value == value {
        cell.endContention(contention)
        return draft.version
      }
      draft.value = value
      switch cell.publish(&draft, &contention) {
      case .published: return draft.version &+ 1
      // The cell has finished, and keeps its value.
      case .ignored: return draft.version
      case .outrun: continue
      }
    }
  }
}
