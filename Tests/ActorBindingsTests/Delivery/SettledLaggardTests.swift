import ActorBindings
import Testing

/// `settled()` while a reader is behind all the time.
@Suite
struct SettledLaggardTests {
  private let cell = BindableActor(0)
  private let other = BindableActor(0)

  private static func waiter(for source: some BindingSource<Int>) -> ManualExecutor {
    let executor = ManualExecutor()
    Task(executorPreference: executor) { await source.settled() }
    executor.run()
    return executor
  }

  private func source(_ form: String) -> AnyBindingSource<Int> {
    switch form {
    case "merge": merge(cell, other).erased()
    case "merge of a list": merge([cell, other]).erased()
    case "zip": zip(cell, other).map { $0 + $1 }.erased()
    case "zip of a list": zip([cell, other]).map { $0.reduce(0, +) }.erased()
    default: cell.prefix(until: other.filter { $0 < 0 }).erased()
    }
  }

  @Test(arguments: ["merge", "merge of a list", "zip", "zip of a list", "prefix(until:)"])
  func `settled returns when earlier updates are handled, though the observer never catches up`(
    form: String
  ) {
    let source = source(form)
    let context = ManualContext()
    let (seen, seenWhenSettled) = (Counter(), Recorder<Int>())
    let waiters = Recorder<ManualExecutor>()
    let token = source.observe(on: context.delivery, backlog: .unbounded) { [cell, other] _ in
      let count = seen.add()
      if waiters.last?.pending == 1, seenWhenSettled.count == 0 { seenWhenSettled.record(count) }
      if waiters.count > 0, count < 3_000 { for cell in [cell, other] { cell.send(count) } }
    }
    context.run()
    for value in 1...500 { for cell in [cell, other] { cell.send(value) } }
    let before = seen.value
    waiters.record(Self.waiter(for: source))
    context.run()
    #expect(seenWhenSettled.elements.allSatisfy { (before + 500..<3_000).contains($0) })
    #expect(seenWhenSettled.count == 1)
    waiters.last?.run()
    token.cancel()
  }

  @Test
  func `settled of a switch returns though its inner source is written all the time`() async {
    let (last, count) = (50_000, Counter())
    let (waiters, seenWhenArrived) = (Recorder<ManualExecutor>(), Recorder<Int>())
    let itself = Box<AnyBindingSource<Int>>()
    let inner = cell.map { [cell] value in
      let number = count.add()
      // The cursor asks for the next value, which is there already.
      if number < last { cell.send(number) }
      if number == 100, let source = itself.value { waiters.record(Self.waiter(for: source)) }
      if waiters.last?.pending == 1, seenWhenArrived.count == 0 { seenWhenArrived.record(number) }
      return value
    }
    let switched = other.flatMapLatest(innerBacklog: .unbounded) { _ in inner }.erased()
    itself.value = switched
    let token = switched.observe(on: .queue(Station().queue)) { _ in }
    await eventually { count.value >= last && waiters.last?.pending == 1 }
    #expect(seenWhenArrived.elements.allSatisfy { $0 < last })
    #expect(seenWhenArrived.count == 1)
    itself.value = nil
    token.cancel()
    waiters.last?.run()
  }

  @Test
  func `settled waits for the reader that feeds a relay now, though an earlier reader read the same cell`()
    async
  {
    let (context, executor) = (ManualContext(), ManualExecutor())
    let (seen, isOver, wasOver) = (Recorder<Int>(), Flag(), Recorder<Bool>())
    let (first, second) = (Box<BindingToken>(), Box<BindingToken>())
    let itself = Box<AnyBindingSource<Int>>()
    let source = cell.map { value in
      guard value == 1, let source = itself.value else { return value }
      if second.value == nil {
        // The task waits for the first reader, whose turn this is.
        Task(executorPreference: executor) {
          await source.settled()
          isOver.set()
        }
        executor.run()
        first.value?.cancel()
        second.value = source.observe(on: context.delivery) { seen.record($0) }
      } else {
        // This is the turn of the second reader, which has not handed out the value yet.
        context.run()
        executor.run()
        wasOver.record(isOver.isSet)
      }
      return value
    }.throttle(for: .seconds(1), clock: ManualClock()).erased()
    itself.value = source
    first.value = source.observe(on: context.delivery) { _ in }
    cell.send(1)
    await eventually {
      context.run()
      if wasOver.count > 0 { executor.run() }
      return isOver.isSet
    }
    #expect(wasOver.elements == [false])
    #expect(seen.elements == [1])
    itself.value = nil
    second.value?.cancel()
  }
}
