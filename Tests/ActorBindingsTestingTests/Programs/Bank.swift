import ActorBindings

struct Overdrawn: Error {}

/// A bank of accounts, each of which any task may read and write.
final class Bank: Sendable {
  let accounts: [BindableActor<Int>]
  let total: AnyStateSource<Int>
  let poorest: AnyStateSource<Int?>

  init(accounts count: Int = 100, balance: Int = 100) {
    accounts = (0..<count).map { _ in BindableActor(balance) }
    let balances = combineLatest(accounts)
    total = balances.map { $0.reduce(0, +) }.erased()
    poorest = balances.map { $0.min() }.removeDuplicates().erased()
  }

  func transfer(_ amount: Int, from payer: Int, to payee: Int) throws(Overdrawn) {
    try BindingTransaction.run { [accounts] transaction throws(Overdrawn) in
      guard transaction[accounts[payer]] >= amount else { throw Overdrawn() }
      transaction[accounts[payer]] -= amount
      transaction[accounts[payee]] += amount
    }
  }
}
