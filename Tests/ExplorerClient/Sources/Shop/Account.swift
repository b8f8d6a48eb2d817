/// An account with a fault: it may pay out what it does not have.
package actor Account {
  package private(set) var balance: Int

  package init(balance: Int) { self.balance = balance }

  package func withdraw(_ amount: Int) async -> Bool {
    guard balance >= amount else { return false }
    await Task.yield()
    balance -= amount
    return true
  }
}
