import ActorBindings
import Dispatch

/// Lets writers, watchers of single keys, and readers of the whole use a dictionary at once.
func useKeys() async {
  let scores = BindableDictionary<String, [Int]>(["a": [0], "b": []])
  let a = Diary<Int>()
  let bag = DisposeBag()
  let isEmpty = BindableActor(false)
  scores.source(forKey: "a").observe(on: .queue(DispatchQueue(label: "a")), backlog: .unbounded) { score in
    a.write(score?.count ?? -1)
    isEmpty.send(score?.isEmpty ?? true)
  }.store(in: bag)
  scores.source(forKey: "b").observe(on: .queue(.global())) { _ = $0?.reduce(0, &+) }.store(in: bag)
  let loop = Task {
    var sum = 0
    for await score in scores.source(forKey: "b").values { sum &+= score?.count ?? 0 }
    return sum
  }
  await concurrently(6) { task, turn in
    switch task {
    case 0: scores.set([turn, turn + 1], forKey: "a")
    case 1: scores.modify(forKey: "b") { $0 = ($0 ?? []).suffix(10) + [turn] }
    case 2: scores.set([turn], forKey: "key \(turn % 100)")
    case 3: scores.removeValue(forKey: turn.isMultiple(of: 50) ? "b" : "key \(turn % 70)")
    case 4: _ = scores.value.reduce(0) { $0 &+ $1.value.count }
    default:
      let diary = Diary<Int>()
      let token = scores.source(forKey: "key \(turn % 100)").observe(on: .queue(.global())) {
        diary.write($0?.count ?? 0)
      }
      _ = scores.source(forKey: "a").value?.count
      await token.cancelAndWait()
      _ = diary.entries.count
    }
  }
  scores.set([], forKey: "a")
  // `settled()` of the dictionary does not wait for this watcher of a key.
  _ = await isEmpty.first { $0 }
  check(a.entries.last == 0, "a watcher of a key sees its last value")
  scores.finish()
  _ = await loop.value
  bag.dispose()
}

/// Lets writers, operators that follow change by change, and readers of the whole use a list at once.
func useLists() async {
  let list = BindableArray(0..<50)
  let sorted = Diary<Int>()
  let token = list.sorted().observe(on: .queue(DispatchQueue(label: "list"))) { sorted.write($0.count) }
  let even = list.filterElements { $0.isMultiple(of: 2) }.mapElements(String.init)
  let loop = Task {
    var last = 0
    for await texts in even.values { last = texts.reduce(0) { $0 + $1.count } }
    return last
  }
  await concurrently(5) { task, turn in
    switch task {
    case 0: list.append(turn)
    case 1: list.modify { if $0.count > 80 { $0.removeAll { !$0.isMultiple(of: 3) } } }
    case 2: list.modify { if !$0.isEmpty { $0[$0.count / 2] = turn } }
    case 3: list.modify { if $0.count > 2 { $0.swapAt(0, $0.count - 1) } }
    default: _ = list.value.reduce(0, &+)
    }
  }
  await list.settled()
  check(sorted.entries.last == list.value.count, "settled: a sorted list has seen the last change")
  token.cancel()
  list.finish()
  _ = await loop.value
}
