import Shop
import Testing

@Test
func `a withdrawal takes money`() async {
  let account = Account(balance: 100)
  #expect(await account.withdraw(80))
  #expect(await account.balance == 20)
}
