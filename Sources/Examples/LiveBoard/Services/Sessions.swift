package import ActorBindings
import Synchronization

/// Holds the clients that are watching. This service does not know its readers.
package final class Sessions: Sendable {
  package struct Session: Sendable {
    /// The symbols that the client follows. Empty if the client follows all symbols.
    package var symbols: [String]
  }

  package let cell = BindableDictionary<Int, Session>().named("sessions")
  private let lastID = Atomic(0)

  package init() {}

  package func join(_ symbols: [String]) -> Int {
    let id = lastID.add(1, ordering: .relaxed).newValue
    cell.set(Session(symbols: symbols), forKey: id)
    return id
  }

  package func leave(_ id: Int) {
    cell.removeValue(forKey: id)
  }
}
