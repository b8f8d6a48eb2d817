import ActorBindings
import Testing

@Suite
struct RelayReaderStateTests {
  private var state = RelayReaderState()
  private var roster = Roster()

  @Test
  mutating func `a reader that is parked does not read`() {
    #expect(state.turnBegan(isParked: true) == .refused)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.turnBegan(isParked: false) == .refused)
  }

  @Test
  mutating func `a reader parks at the newest version, and reads again after an update or the end`() {
    roster.updated(times: 2)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.caughtUp(1), mayGoOn: true, roster).step == .again)
    #expect(state.readEnded(.caughtUp(2), mayGoOn: true, roster).step == .park)
    #expect(state.phase == .waiting)
    #expect(state.turnBegan(isParked: false) == .begun)
    _ = roster.finished()
    #expect(state.readEnded(.caughtUp(2), mayGoOn: true, roster).step == .again)
    #expect(state.readEnded(.ended, mayGoOn: true, roster).step == .leave(isCounted: true))
    #expect(state.phase == .ended)
    #expect(state.turnBegan(isParked: false) == .refused)
  }

  @Test
  mutating func `a reader that rests continues when it is asked to`() {
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.rests(0), mayGoOn: true, roster).step == .rest)
    #expect(state.phase == .resting)
    #expect(state.turnBegan(isParked: false) == .begunAfterRest)
  }

  @Test
  mutating func `a reader that has more to read gives up its turn`() {
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.behind(1), mayGoOn: false, roster).step == .yield)
    #expect(state.turnBegan(isParked: false) == .begun)
  }

  @Test
  mutating func `a reader gives up a turn whose time is over, even if it has read everything`() {
    roster.updated(times: 3)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.caughtUp(2), mayGoOn: false, roster).step == .yield)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.caughtUp(3), mayGoOn: false, roster).step == .park)
  }

  @Test
  mutating func `a turn that ends within an update settles nothing`() {
    roster.updated()
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.settledCallJoined(SettledCall(), isParked: false, roster) == true)
    #expect(state.readEnded(.behind(0), mayGoOn: false, roster).step == .yield)
    #expect(state.settledCallCount == 1)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.behind(1), mayGoOn: false, roster).step == .yield)
    #expect(state.settledCallCount == 0)
  }

  @Test
  mutating func `a cancellation ends a reader that is not reading`() {
    #expect(state.cancelled().cancellation == .leave)
    #expect(state.cancelled().cancellation == .nothing)
    #expect(state.turnBegan(isParked: false) == .refused)
    var resting = RelayReaderState()
    #expect(resting.turnBegan(isParked: false) == .begun)
    #expect(resting.readEnded(.rests(0), mayGoOn: true, roster).step == .rest)
    #expect(resting.cancelled().cancellation == .leave)
  }

  @Test(arguments: [RelayReadOutcome.rests(0), .caughtUp(0), .behind(0), .ended])
  func `a reader that was cancelled while it read ends with its turn`(turn: RelayReadOutcome) {
    var state = state
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.cancelled().cancellation == .uncount)
    #expect(state.cancelled().cancellation == .nothing)
    #expect(state.readEnded(turn, mayGoOn: true, roster).step == .leave(isCounted: false))
    #expect(state.phase == .ended)
  }

  @Test
  mutating func `settled() waits for a reader that is scheduled, and for a reader whose source has ended`() {
    let call = SettledCall()
    #expect(state.settledCallJoined(call, isParked: true, roster) == false)
    #expect(state.settledCallJoined(call, isParked: false, roster) == true)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.settledCallJoined(call, isParked: false, roster) == true)
    #expect(state.readEnded(.rests(0), mayGoOn: true, roster).step == .rest)
    #expect(state.settledCallJoined(call, isParked: false, roster) == false)
    _ = roster.finished()
    #expect(state.settledCallJoined(call, isParked: false, roster) == true)
    #expect(state.cancelled().cancellation == .leave)
    #expect(state.settledCallJoined(call, isParked: false, roster) == false)
  }

  // A task that waits for one reader. It is resumed on `executor`.
  private func task(on executor: ManualExecutor) -> SettledCall {
    let call = SettledCall()
    call.delivererJoined()
    Task(executorPreference: executor) { await Resumption.suspend { call.suspended($0) } }
    executor.run()
    return call
  }

  @Test
  mutating func `a task that waits for a reader is resumed when the reader ends`() {
    let executor = ManualExecutor()
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.settledCallJoined(task(on: executor), isParked: false, roster) == true)
    state.readEnded(.ended, mayGoOn: true, roster).resumed.forEach { $0.resume() }
    #expect(executor.pending == 1)
    executor.run()
  }

  @Test
  mutating func `a task waits on while the driver has not finished`() {
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.settledCallJoined(SettledCall(), isParked: false, roster) == true)
    #expect(state.readEnded(.behind(nil), mayGoOn: true, roster).step == .yield)
    #expect(state.settledCallCount == 1)
    #expect(state.turnBegan(isParked: false) == .begun)
    #expect(state.readEnded(.caughtUp(0), mayGoOn: true, roster).step == .park)
    #expect(state.settledCallCount == 0)
  }

  @Test
  mutating func `a reader for which a task waits already does not begin parked`() {
    #expect(state.settledCallJoined(SettledCall(), isParked: false, roster) == true)
    #expect(!state.beginsParked(idleAt: 0, roster))
  }

  @Test
  mutating func `a reader that has seen everything begins parked`() {
    #expect(state.beginsParked(idleAt: 0, roster))
    #expect(!state.beginsParked(idleAt: nil, roster))
    roster.updated()
    #expect(!state.beginsParked(idleAt: 0, roster))
    #expect(state.beginsParked(idleAt: 1, roster))
    _ = roster.finished()
    #expect(!state.beginsParked(idleAt: 1, roster))
  }
}
