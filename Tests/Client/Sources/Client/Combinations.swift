import ActorBindings
import Dispatch

/// Reads operators over several sources in every way.
func useCombinations() async {
  let left = BindableActor(Quote(0))
  let right = BindableActor([0])
  let both = combineLatest(left, right)
  let diary = Diary<Int>()
  let bag = DisposeBag()
  both.observe(on: .queue(DispatchQueue(label: "both"))) { diary.write($0.sum + $1.count) }.store(in: bag)
  merge(left.map(\.price), right.map(\.count)).observe(on: .queue(.global()), backlog: .unbounded) { _ = $0 }
    .store(in: bag)
  zip(left.map(\.price), right).observe(on: .cell) { _ = $0.1.count }.store(in: bag)
  let latest = left.flatMapLatest { quote in right.map { $0.count + quote.sum } }
  latest.observe(on: .queue(.global())) { _ = $0 }.store(in: bag)
  let derived = BindableActor(of: both.map { $0.sum + $1.count })
  let loop = Task {
    var count = 0
    for await (quote, numbers) in both.values(backlog: .unbounded) { count += quote.sum + numbers.count }
    return count
  }
  await concurrently(4) { task, turn in
    switch task {
    case 0: left.send(Quote(turn))
    case 1: right.modify { $0 = $0.suffix(5) + [turn] }
    case 2: _ = both.value.0.sum
    default: _ = derived.value
    }
  }
  await left.settled()
  await right.settled()
  check(
    diary.entries.last == left.value.sum + right.value.count,
    "settled: a combination has seen the last values"
  )
  left.finish()
  right.finish()
  _ = await loop.value
  bag.dispose()
}

/// Moves money between two accounts, and checks the sum.
func useTransactions() async {
  let accounts = (BindableActor([100]), BindableActor([0]))
  let bag = DisposeBag()
  combineLatest(accounts.0, accounts.1).observe(on: .queue(.global())) { left, right in
    check(left[0] + right[0] == 100, "a combination shows both accounts at one instant")
  }.store(in: bag)
  await concurrently(3) { task, turn in
    BindingTransaction.run { transaction in
      let amount = task == 2 ? 0 : turn % 10
      transaction[accounts.0] = [transaction[accounts.0][0] - amount]
      transaction[accounts.1] = [transaction[accounts.1][0] + amount]
    }
  }
  bag.dispose()
}

/// Uses operators with timers.
func useTime() async {
  let cell = BindableActor([0])
  let (quiet, steady) = (Diary<Int>(), Diary<Int>())
  let bag = DisposeBag()
  let context = DeliveryContext.queue(DispatchQueue(label: "time"))
  cell.debounce(for: .microseconds(200)).observe(on: context) { quiet.write($0.count) }.store(in: bag)
  cell.throttle(for: .microseconds(200)).observe(on: context) { steady.write($0.count) }.store(in: bag)
  await concurrently(2) { task, turn in
    cell.modify { $0 = $0.suffix(8) + [turn] }
  }
  cell.send([])
  let last = await cell.debounce(for: .microseconds(200)).first { $0.isEmpty }
  check(last != nil, "debounce delivers the last value")
  bag.dispose()
}
