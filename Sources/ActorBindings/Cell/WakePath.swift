/// Where the objects are that a thread touches when it wakes the reader of a cell.
///
/// These are addresses, and nothing reads what is there: they only tell the processor which memory a thread will need
/// soon. So the objects may be gone.
@usableFromInline
package struct WakePath: Sendable {
  private var cell: UInt = 0
  private var upstream: UInt = 0
  /// The address of the reader: a lane, or the waiter of a loop.
  @usableFromInline package private(set) var reader: UInt = 0
  private var snapshot: UInt = 0
  private var observation: UInt = 0

  @usableFromInline
  init() {}

  /// The objects that a wake-up of `reader` touches. Called under the lock of `cell`, in which `reader` is parked.
  @usableFromInline
  init(whileLocked cell: AnyCell, _ reader: Waiter) {
    self.cell = Self.address(of: cell)
    upstream = cell.upstream.map(Self.address) ?? 0
    self.reader = Self.address(of: reader)
    let objects = reader.touchedObjectsWhileLocked()
    snapshot = objects.first.map(Self.address) ?? 0
    observation = objects.second.map(Self.address) ?? 0
  }

  @inlinable
  package static func address(of object: AnyObject) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// Asks the processor for a watched hash.
  @usableFromInline
  package static func prefetch(watched address: UInt) {
    Prefetch.object(at: address, size: 208)
  }

  /// Asks the processor for the objects, and for `waiter`, which brings the cell up to date. The sizes are those of the
  /// parts that a wake-up touches.
  @usableFromInline
  package func prefetch(_ waiter: UInt) {
    if reader == 0 { return }
    Prefetch.object(at: waiter, size: 56)
    Prefetch.object(at: cell, size: 248)
    Prefetch.object(at: upstream, size: 192)
    Prefetch.object(at: reader, size: 248)
    if observation == 0 { return }
    Prefetch.object(at: snapshot, size: 56)
    Prefetch.object(at: observation, size: 160)
  }
}
