package import ActorBindings
import WebServer

/// The living cells of this program and their readers, as the page of cells receives them.
///
/// A cell that operators have made from another cell comes behind that cell, one step deeper. A cell that is made from
/// several cells comes behind the first of them. The numbers of observers and of loops include those of the cells that
/// are made from a cell.
package struct CellTable: Sendable {
  private var rows: [String] = []
  private var listed: Set<ObjectIdentifier> = []

  /// - Parameter cells: The cells to list. By default all cells that have a record: those with a name, and with
  ///   `--record` the others too.
  package init(_ cells: [BindingDiagnostics] = BindingDiagnostics.all()) {
    var made: Set<ObjectIdentifier> = []
    for cell in cells { made.formUnion(cell.derived.flatMap(\.identities)) }
    for cell in cells where !made.contains(cell.id) { add(cell, depth: 0) }
  }

  private mutating func add(_ cell: BindingDiagnostics, depth: Int) {
    guard listed.insert(cell.id).inserted else { return }
    let above = cell.derived.filter { listed.contains($0.id) }.map { "also \($0.name ?? $0.kind), above" }
    rows.append(cell.json(depth: depth, alsoRead: above))
    for derived in cell.derived { add(derived, depth: depth + 1) }
  }

  /// The rows of the table.
  package var json: String { "[\(rows.joined(separator: ",\n"))]\n" }

  var response: Response {
    var response = Response(type: "application/json", body: json)
    response.headers = [("Cache-Control", "no-store")]
    return response
  }
}

extension BindingDiagnostics {
  /// This cell and all cells that are made from it, each once.
  private var cells: [BindingDiagnostics] { [self] + derived.flatMap(\.cells) }

  fileprivate var identities: [ObjectIdentifier] { cells.map(\.id) }

  fileprivate func json(depth: Int, alsoRead above: [String]) -> String {
    let lags = observers.map(\.lag) + streams.map(\.lag)
    // The cell does not know how far a loop without a record is behind.
    let behind = lags.max() ?? (unrecordedStreamCount > 0 ? nil : 0)
    return "{\"depth\":\(depth),\"name\":\((name ?? "").json),\"type\":\(kind.json),"
      + "\"place\":\((location?.description ?? "").json),\"version\":\(version),"
      + "\"isFinished\":\(isFinished || !hasOwner),"
      + "\"observers\":\(cells.reduce(0) { $0 + $1.observers.count }),"
      + "\"loops\":\(cells.reduce(0) { $0 + $1.streams.count + $1.unrecordedStreamCount }),"
      + "\"kept\":\(keptUpdateCount),\"behind\":\(behind.map { "\($0)" } ?? "null"),"
      + "\"readers\":[\((readerLines + above).map(\.json).joined(separator: ","))]}"
  }
}
