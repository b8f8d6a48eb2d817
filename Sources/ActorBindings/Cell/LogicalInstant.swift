internal import Synchronization

/// A tick of one logical clock, which says when an update took effect. Updates of different cells are compared by their
/// ticks.
///
/// All cells share the clock. A writer advances the clock under the lock of the cell that it writes, and the new tick
/// is the instant of the update. A transaction advances the clock once, under the locks of all its cells, and gives all
/// its updates this instant. Writers advance the clock only while a reader compares instants. Otherwise all processors
/// would contend for the clock's word of memory.
@_documentation(visibility: internal)
public struct LogicalInstant: Comparable, Hashable, Sendable {
  @usableFromInline let ticks: UInt64

  @inlinable
  init(ticks: UInt64) {
    self.ticks = ticks
  }

  /// The instant of an update that no reader compares with others.
  @inlinable package static var unordered: LogicalInstant { LogicalInstant(ticks: 0) }

  /// Whether the first instant came before the second.
  @inlinable
  public static func < (earlier: LogicalInstant, later: LogicalInstant) -> Bool {
    earlier.ticks < later.ticks
  }

  /// Returns an instant that is later than all instants returned before.
  @usableFromInline
  package static func next() -> LogicalInstant {
    LogicalInstant(ticks: clock.add(1, ordering: .relaxed).newValue)
  }

  private static let clock = Atomic<UInt64>(0)
}
