public import Synchronization

/// Whether diagnostics record more than what each cell knows anyway. All of it is off until a program asks for it: then
/// the cost is one load of an atomic variable, where a cell, an observation or a loop begins or ends.
@usableFromInline
package enum Tracking: Sendable {
  /// Whether new cells, loops and streams get a record.
  @usableFromInline static let isOn = Atomic(false)

  /// Whether new cells, loops and streams get a record.
  @inlinable
  package static var recordsReaders: Bool { isOn.load(ordering: .relaxed) }

  package static func turn(on: Bool) {
    isOn.store(on, ordering: .relaxed)
  }
}
