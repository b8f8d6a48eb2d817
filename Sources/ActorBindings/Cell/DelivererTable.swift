/// The deliverers of a cell, by their keys.
///
/// Nearly every cell has one deliverer: the lane of its only context. That deliverer stands here without a dictionary.
/// With a dictionary, an observation that comes and goes would allocate storage and hash its key four times: a tenth of
/// what it costs in all.
package struct DelivererTable: Sendable {
  private enum Storage: Sendable {
    case none
    case one(Waiter, ContextKey)
    case several([ContextKey: Waiter])
  }

  private var storage = Storage.none

  package init() {}

  package var count: Int {
    switch storage {
    case .none: 0
    case .one: 1
    case .several(let table): table.count
    }
  }

  package var all: [Waiter] {
    switch storage {
    case .none: []
    case .one(let deliverer, _): [deliverer]
    case .several(let table): Array(table.values)
    }
  }

  package subscript(_ key: ContextKey) -> Waiter? {
    switch storage {
    case .none: nil
    case .one(let deliverer, let itsKey): key == itsKey ? deliverer : nil
    case .several(let table): table[key]
    }
  }

  /// Makes this table share its storage with no copy of it.
  package mutating func unshare() {
    guard case .several(var table) = storage else { return }
    table.reserveCapacity(table.count)
    storage = .several(table)
  }

  /// Adds `deliverer`. It replaces the deliverer that has the same key, if there is one.
  mutating func insert(_ deliverer: Waiter, _ key: ContextKey) {
    switch storage {
    case .one(let first, let firstKey) where key != firstKey:
      storage = .several([firstKey: first, key: deliverer])
    case .none, .one:
      storage = .one(deliverer, key)
    case .several(var table):
      storage = .none
      table[key] = deliverer
      storage = .several(table)
    }
  }

  /// Removes `deliverer`, unless another deliverer has replaced it.
  mutating func remove(_ deliverer: Waiter, _ key: ContextKey) {
    switch storage {
    case .one(let only, let itsKey) where only === deliverer && key == itsKey:
      storage = .none
    case .several(var table) where table[key] === deliverer:
      storage = .none
      table[key] = nil
      // A cell that has lost all its deliverers needs no dictionary until it has two again.
      storage = table.isEmpty ? .none : .several(table)
    case .none, .one, .several: break
    }
  }
}
