import ActorBindings
import Dispatch

/// Observes on each kind of context, with handlers that write to diaries without a lock. The diaries are read when the
/// library says that the handlers have handled everything.
func useObservers() async {
  let cell = BindableActor(Quote(0))
  let queue = Diary<Int>()
  let host = Diary<Int>()
  let pool = Diary<Int>()
  let auditor = Auditor()
  let tokens = [
    cell.observe(on: .queue(DispatchQueue(label: "client"))) { queue.write($0.sum) },
    cell.observe(on: .cell, backlog: .bounded(10)) { host.write($0.sum) },
    cell.observe(on: .queue(.global()), backlog: .unbounded) { pool.write($0.sum) },
    cell.observe(with: auditor) { $0.write($1) },
  ]
  let display = await Display(cell)
  await concurrently(3) { task, turn in
    if task == 0 { await cell.update(Quote(turn)) } else { cell.send(Quote(turn)) }
  }
  cell.send(Quote(-1))
  await cell.settled()
  let last = Quote(-1).sum
  check(queue.entries.last == last && pool.entries.last == last, "settled: queues have seen the last value")
  check(host.entries.last == last, "settled: the cell's own observers have seen the last value")
  check(auditor.diary.entries.last == last, "settled: an actor has seen the last value")
  check(await display.last == last, "settled: the main actor has seen the last value")
  check(pool.entries.count == 3 * turns + 2, "an unbounded observer sees each value")
  for token in tokens { token.cancel() }

  // Cancels an observation while its handler is called, and then reads what the handler wrote.
  await concurrently(3) { task, turn in
    let diary = Diary<Int>()
    let token = cell.observe(on: .queue(.global())) { diary.write($0.price) }
    cell.send(Quote(turn))
    await token.cancelAndWait()
    check(diary.entries.count <= 2 * turns * 3, "no call after cancelAndWait")
  }
}

private actor Auditor {
  let diary = Diary<Int>()

  func write(_ quote: Quote) {
    diary.write(quote.sum)
  }
}

@MainActor
private final class Display {
  var last = 0

  init(_ cell: BindableActor<Quote>) {
    cell.observe(self) { display, quote in display.last = quote.sum }
  }
}

/// Lets owners die on one thread while their handlers are called on another thread.
func useOwners() async {
  let cell = BindableActor(0)
  await concurrently(4) { task, turn in
    if task == 0 { return cell.send(turn) }
    let owner = Owner()
    cell.observe(owner, on: task == 1 ? .cell : .queue(.global())) { $0.diary.write($1) }
    let bag = DisposeBag()
    cell.map(String.init).observe(on: .queue(.global())) { owner.texts.write($0) }.store(in: bag)
    await cell.update(turn)
    if turn.isMultiple(of: 2) { bag.dispose() }
  }
  cell.finish()
}

private final class Owner: Sendable {
  let diary = Diary<Int>()
  let texts = Diary<String>()
}

/// Binds properties to cells, and cells to each other.
func useBindings() async {
  let celsius = BindableActor(0)
  let tenths = BindableActor(0)
  let copy = BindableActor(0)
  let bag = DisposeBag()
  celsius.bindTwoWay(to: tenths, transform: { $0 * 10 }, reverse: { $0 / 10 }).store(in: bag)
  celsius.bind(to: copy).store(in: bag)
  let thermometer = await Thermometer(celsius)
  await concurrently(2) { task, turn in
    if task == 0 { celsius.send(turn) } else { tenths.send(turn) }
    _ = copy.value
  }
  celsius.send(-1)
  await celsius.settled()
  check(await thermometer.text == "-1", "a bound property shows the last value")
  bag.dispose()
}

@MainActor
private final class Thermometer {
  var text = ""

  init(_ degrees: BindableActor<Int>) {
    degrees.bind(String.init, to: self, \.text)
  }
}
