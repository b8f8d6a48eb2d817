/// What carries the values of one cell to another cell.
package struct Feeder: Sendable {
  /// The cell that is read.
  package let cell: AnyCell
  /// The `Deliverer` that reads the cell; nil if the readers of the other cell read it themselves.
  var deliverer: Waiter?
}
