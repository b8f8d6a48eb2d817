import ActorBindings
import ActorBindingsTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BankTests {
  @Test
  func `a transfer moves an amount`() throws {
    let bank = Bank(accounts: 3, balance: 100)
    try bank.transfer(30, from: 0, to: 2)
    #expect(bank.accounts.map(\.value) == [70, 100, 130])
    #expect(bank.total.value == 300)
    #expect(bank.poorest.value == 70)
  }

  @Test
  func `a transfer that would overdraw an account changes nothing`() throws {
    let bank = Bank(accounts: 2, balance: 100)
    #expect(throws: Overdrawn.self) { try bank.transfer(101, from: 0, to: 1) }
    #expect(bank.accounts.map(\.value) == [100, 100])
    try bank.transfer(100, from: 0, to: 1)
    #expect(bank.poorest.value == 0)
  }

  @Test
  func `a transfer from an account to itself changes nothing`() throws {
    let bank = Bank(accounts: 1)
    try bank.transfer(100, from: 0, to: 0)
    #expect(bank.total.value == 100)
  }

  @Test
  func `a reader of the total sees each transfer as one update`() async throws {
    let bank = Bank()
    let totals = Recorder(bank.total)
    for account in 1..<100 { try bank.transfer(1, from: 0, to: account) }
    bank.accounts.forEach { $0.finish() }
    #expect(try await totals.end() == Array(repeating: 10_000, count: 100))
  }

  @Test
  func `the total never changes while eight tasks make transfers`() async throws {
    let bank = Bank()
    let totals = Recorder(bank.total)
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for step in 0..<250 {
            try? bank.transfer(step % 50, from: (task * 13 + step) % 100, to: (task * 29 + step * 7) % 100)
            #expect(bank.total.value == 10_000)
          }
        }
      }
    }
    bank.accounts.forEach { $0.finish() }
    #expect(Set(try await totals.end()) == [10_000])
    #expect(bank.accounts.allSatisfy { $0.value >= 0 })
  }
}
