/// What a type-erased cursor shows in place of a value whose type it does not know.
@_documentation(visibility: internal)
public struct ErasedOrigin: Sendable {
  @usableFromInline
  enum Content: Sendable {
    /// The pass of a lane, or a pass that other code fills.
    case pass(AnyPassSnapshot)
    /// What the cell held at one instant: a `SnapshotBox`.
    case snapshot(AnySnapshotBox)
  }

  @usableFromInline let content: Content

  @inlinable
  init(_ content: Content) {
    self.content = content
  }
}

/// A reference to a `SnapshotBox` of any type.
// @unchecked: the subclass has only constants.
@usableFromInline
class AnySnapshotBox: @unchecked Sendable {
  @usableFromInline
  init() {}
}

/// A snapshot, for code that does not know the type of its value.
@usableFromInline
final class SnapshotBox<Value: Sendable>: AnySnapshotBox, @unchecked Sendable {
  @usableFromInline let snapshot: Snapshot<Value>

  @inlinable
  init(_ snapshot: Snapshot<Value>) {
    self.snapshot = snapshot
  }
}

extension Snapshot where Value == ErasedOrigin {
  /// Hides the type of a snapshot's value.
  @inlinable
  init<Known>(erasing known: Snapshot<Known>) {
    self.init(
      known.value == nil ? nil : ErasedOrigin(.snapshot(SnapshotBox(known))),
      version: known.version,
      at: known.instant,
      isRepeated: known.isRepeated
    )
  }

  /// Returns the snapshot that was erased. The caller knows the type of its value.
  @inlinable
  func known<Known>(as type: Known.Type) -> Snapshot<Known> {
    guard case .snapshot(let box) = value?.content else {
      return Snapshot<Known>(nil, version: version, at: instant, isRepeated: isRepeated)
    }
    return unsafe unsafeDowncast(box, to: SnapshotBox<Known>.self).snapshot
  }
}

// @unchecked: one reader uses the object, one call at a time. An object that no reader uses does not change.
/// The part of an `ErasedReader` that does not depend on the type of the elements.
@_documentation(visibility: internal)
public class AnyErasedReader: @unchecked Sendable {
  // One reader uses this, one call at a time. A loop never does, so this is made when it is needed.
  @exclusivity(unchecked) @usableFromInline final var storedShown: PassSnapshot<ErasedOrigin>?

  /// The cell that the cursor inside reads.
  @usableFromInline final let cell: AnyCell

  @usableFromInline
  init(reading cell: AnyCell) {
    self.cell = cell
  }

  /// Shows the cursor inside the pass of its reader.
  @inlinable final var shown: PassSnapshot<ErasedOrigin> {
    if let shown = unsafe storedShown { return shown }
    let shown = PassSnapshot<ErasedOrigin>()
    unsafe storedShown = shown
    return shown
  }

  @usableFromInline var seen: UInt64 { missing() }
  @usableFromInline var nextInstant: LogicalInstant? { missing() }
  @usableFromInline var completed: UInt64 { missing() }
  @usableFromInline var depth: UInt32 { missing() }
  @usableFromInline var isTaken: Bool { missing() }
  @usableFromInline func copy() -> AnyErasedReader { missing() }
  @usableFromInline func reserved(depth: UInt32) -> AnyReservedPosition { missing() }
  @usableFromInline func begin(depth: UInt32, reserved: AnyReservedPosition?) { missing() }
  @usableFromInline func end() { missing() }
  @usableFromInline func beginWhileLocked(depth: UInt32, at version: UInt64) { missing() }
  @usableFromInline func leaveWhileLocked() -> (any AnyObject & Sendable)? { missing() }
  @usableFromInline func start(at snapshot: Snapshot<ErasedOrigin>, depth: UInt32) { missing() }
  @usableFromInline func show(_ snapshot: Snapshot<ErasedOrigin>) { missing() }
  @usableFromInline func clear() { missing() }
  @usableFromInline func junctionView(_ counted: inout CountedCells) -> JunctionView<ErasedOrigin> {
    missing()
  }

  private func missing(_ function: StaticString = #function) -> Never {
    preconditionFailure("\(type(of: self)) does not implement \(function)")
  }
}

/// A cursor whose type is hidden. Each reader has an object of its own, which is a copy of the object of the source.
@usableFromInline
class ErasedReader<Element: Sendable>: AnyErasedReader, @unchecked Sendable {
  @usableFromInline typealias Next = @Sendable (ErasedReader<Element>, AnyPassSnapshot?) -> Pull<Element>

  // A stored function, because the compiler does not specialize a call through the method table of a generic class.
  @usableFromInline final let next: Next

  @usableFromInline
  init(reading cell: AnyCell, next: @escaping Next) {
    self.next = next
    super.init(reading: cell)
  }

  /// The current element. Only the readers of a `StateSource` have one.
  @usableFromInline var current: Element {
    preconditionFailure("\(type(of: self)) has no current element")
  }
}

/// A cursor, for readers that do not know its type.
@usableFromInline
class CursorBox<Base: BindingCursor>: ErasedReader<Base.Element>, @unchecked Sendable {
  // One reader uses this, one call at a time, so Swift need not check for overlapping accesses.
  @exclusivity(unchecked) @usableFromInline final var storedBase: Base

  @inlinable
  init(_ base: Base) {
    unsafe storedBase = base
    super.init(reading: base.root.cell) { reader, pass in
      let box = unsafe unsafeDowncast(reader, to: CursorBox<Base>.self)
      return unsafe box.storedBase.next(in: pass.map { unsafe box.storedBase.root.pass(showing: $0) })
    }
    unsafe storedBase.root.detach()
  }

  // Takes over `next`: the client that erased the cursor has specialized it, and this initializer is called through a
  // method table.
  init(copying other: CursorBox) {
    unsafe storedBase = other.storedBase
    super.init(reading: other.cell, next: other.next)
    unsafe storedBase.root.detach()
  }

  @usableFromInline override var seen: UInt64 { unsafe storedBase.root.seen }
  @usableFromInline override var nextInstant: LogicalInstant? { unsafe storedBase.root.nextInstant }
  @usableFromInline override var completed: UInt64 { unsafe storedBase.completed }
  @usableFromInline override var depth: UInt32 { unsafe storedBase.root.depth }
  @usableFromInline override var isTaken: Bool { unsafe storedBase.root.isTaken }

  @usableFromInline override func copy() -> AnyErasedReader { CursorBox(copying: self) }

  @usableFromInline
  override func reserved(depth: UInt32) -> AnyReservedPosition {
    unsafe storedBase.root.reserved(depth: depth)
  }

  @usableFromInline
  override func begin(depth: UInt32, reserved: AnyReservedPosition?) {
    unsafe storedBase.root.begin(depth: depth, reserved: reserved)
  }

  @usableFromInline
  override func end() {
    unsafe storedBase.root.end()
  }

  @usableFromInline
  override func beginWhileLocked(depth: UInt32, at version: UInt64) {
    unsafe storedBase.root.beginWhileLocked(depth: depth, at: version)
  }

  @usableFromInline
  override func leaveWhileLocked() -> (any AnyObject & Sendable)? {
    unsafe storedBase.root.leaveWhileLocked()
  }

  @usableFromInline
  override func start(at snapshot: Snapshot<ErasedOrigin>, depth: UInt32) {
    let pass = unsafe storedBase.root.start(at: snapshot.known(as: Base.Origin.self), depth: depth)
    shown.value = ErasedOrigin(.pass(pass))
  }

  @usableFromInline
  override func show(_ snapshot: Snapshot<ErasedOrigin>) {
    guard let pass = shownPass else { return }
    unsafe storedBase.root.show(snapshot.known(as: Base.Origin.self), in: pass)
  }

  @usableFromInline
  override func clear() {
    guard let pass = shownPass else { return }
    unsafe storedBase.root.clear(pass)
  }

  private final var shownPass: PassSnapshot<Base.Origin>? {
    guard case .pass(let pass) = shown.value?.content else { return nil }
    return unsafe storedBase.root.pass(showing: pass)
  }

  @usableFromInline
  override func junctionView(_ counted: inout CountedCells) -> JunctionView<ErasedOrigin> {
    let view = unsafe storedBase.root.viewed.junctionView(&counted)
    return JunctionView(inputs: view.inputs) { time, former in
      Snapshot(erasing: view.takeSnapshot(time, former?.known(as: Base.Origin.self)))
    }
  }
}

/// A cursor over a source that always has a value, for readers that do not know its type.
@usableFromInline
final class StateCursorBox<Base: StateCursor>: CursorBox<Base>, @unchecked Sendable {
  @usableFromInline override var current: Base.Element { unsafe storedBase.current }

  @inlinable
  override init(_ base: Base) {
    super.init(base)
  }

  private init(copying other: StateCursorBox) {
    super.init(copying: other)
  }

  @usableFromInline override func copy() -> AnyErasedReader { StateCursorBox(copying: self) }
}
