import ActorBindings
import Testing

@Suite
struct TurnBudgetTests {
  private var now: UInt64 = 5_000_000
  private var budget = TurnBudget()

  // Makes a quantum of calls, each of which takes `nanoseconds`.
  private mutating func call(nanoseconds: UInt64) {
    for _ in 0..<budget.quantum {
      #expect(!budget.isClockDue)
      budget.spent(calls: 1)
      now += nanoseconds
    }
    #expect(budget.isClockDue)
    budget.clockRead(at: now)
  }

  @Test
  mutating func `the clock is read once for more and more calls of a fast handler`() {
    var quanta: [UInt8] = []
    for _ in 0..<5 {
      call(nanoseconds: 10)
      quanta.append(budget.quantum)
    }
    #expect(quanta == [2, 8, 32, 64, 64])
    #expect(!budget.isOver)
  }

  @Test
  mutating func `the quantum of a handler that is neither fast nor slow only doubles`() {
    var quanta: [UInt8] = []
    for _ in 0..<4 {
      call(nanoseconds: 100_000)
      quanta.append(budget.quantum)
    }
    #expect(quanta == [2, 4, 4, 4])
  }

  @Test
  mutating func `the quantum of a handler that becomes slower shrinks to a quarter of a turn`() {
    for _ in 0..<5 { call(nanoseconds: 10) }
    var quanta: [UInt8] = []
    for nanoseconds: UInt64 in [20_000, 20_000, 100_000] {
      call(nanoseconds: nanoseconds)
      quanta.append(budget.quantum)
    }
    #expect(quanta == [25, 25, 5])
  }

  @Test
  mutating func `if the clock goes back, no time has passed`() {
    call(nanoseconds: 10)
    now = 0
    call(nanoseconds: 10)
    #expect(budget.quantum == 8)
    #expect(!budget.isOver)
  }

  @Test(arguments: [(1_000_000, 1), (400_000, 1), (100_000, 4)] as [(UInt64, UInt8)])
  mutating func `the quantum follows a handler that becomes slow`(nanoseconds: UInt64, quantum: UInt8) {
    for _ in 0..<5 { call(nanoseconds: 10) }
    #expect(budget.quantum == 64)
    call(nanoseconds: nanoseconds)
    #expect(budget.isOver)
    budget = TurnBudget()
    for _ in 0..<3 { call(nanoseconds: nanoseconds) }
    #expect((1...5).contains(budget.quantum))
    #expect(budget.quantum >= quantum)
  }

  @Test
  mutating func `the turn is over after its time, whatever the number of calls`() {
    var calls = 0
    while !budget.isOver {
      calls += Int(budget.quantum)
      call(nanoseconds: 100_000)
    }
    #expect((20...30).contains(calls))
  }

  @Test
  mutating func `after 4,096 calls no other pass begins, whatever the time`() {
    var calls = 0
    while budget.mayGoOn {
      calls += Int(budget.quantum)
      call(nanoseconds: 0)
    }
    #expect((4096...4160).contains(calls))
  }

  @Test
  mutating func `after 4,096 visits without a call no other pass begins`() {
    var visits = 0
    while budget.mayGoOn {
      visits += 1
      budget.spent(calls: 0)
      if budget.isClockDue { budget.clockRead(at: now) }
    }
    #expect(visits == 4096)
  }

  @Test
  mutating func `after a turn that ended by time, one slow call ends the next turn`() {
    budget = TurnBudget(at: now)
    #expect(budget.quantum == 1)
    call(nanoseconds: 2_000_000)
    #expect(budget.isOver)
    budget = TurnBudget(at: now)
    for _ in 0..<5 { call(nanoseconds: 10) }
    #expect(budget.quantum == 64)
    #expect(!budget.isOver)
  }

  @Test
  mutating func `the time counts from the first reading of the clock`() {
    call(nanoseconds: 100_000_000)
    #expect(!budget.isOver)
    call(nanoseconds: 100_000_000)
    #expect(budget.isOver)
  }
}
