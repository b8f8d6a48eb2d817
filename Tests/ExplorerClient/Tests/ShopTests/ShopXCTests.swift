import Shop
import XCTest

#if Explore
  import ActorBindingsExplorer
#endif

/// The explorer in XCTest.
final class ShopXCTests: XCTestCase {
  func testAWithdrawalTakesMoney() async {
    let account = Account(balance: 100)
    let isDone = await account.withdraw(80)
    let balance = await account.balance
    XCTAssertTrue(isDone)
    XCTAssertEqual(balance, 20)
  }

  #if Explore
    func testAFaultOfAnActorIsFound() {
      XCTAssertThrowsError(
        try explore("two withdrawals, in XCTest") { world in
          let account = Account(balance: 100)
          let withdrawals = ["Ada", "Bob"].map { name in
            world.task(name) { _ = await account.withdraw(80) }
          }
          for withdrawal in withdrawals { await withdrawal.value }
          let balance = await account.balance
          world.expect(balance >= 0, "the account is overdrawn: \(balance)")
        }
      ) { error in
        let failure = error as? ScheduleFailure
        XCTAssertEqual(failure?.message.hasPrefix("the account is overdrawn: -60"), true, "\(error)")
      }
    }
  #endif
}
