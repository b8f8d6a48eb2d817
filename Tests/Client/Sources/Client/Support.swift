import ActorBindings

/// How often each task repeats what it does.
let turns = 2_000

/// Runs `body` in several tasks at once, `turns` times in each.
func concurrently(_ tasks: Int, _ body: @escaping @Sendable (_ task: Int, _ turn: Int) async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for task in 0..<tasks {
      group.addTask {
        for turn in 0..<turns {
          await body(task, turn)
          if turn.isMultiple(of: 100) { await Task.yield() }
        }
      }
    }
  }
}

/// Records what a handler or a loop has seen. A diary has no lock: the library must order all accesses.
final class Diary<Entry>: @unchecked Sendable {
  private(set) var entries: [Entry] = []

  func write(_ entry: Entry) {
    entries.append(entry)
  }
}

/// A value on the heap. The thread that reads the value last need not be the thread that frees the value.
final class Quote: Sendable {
  let price: Int
  let history: [Int]

  init(_ price: Int) {
    self.price = price
    history = [price, price + 1, price + 2]
  }

  var sum: Int { history.reduce(price, +) }
}

/// Ends the program if a promise of the library does not hold.
func check(_ condition: Bool, _ promise: String) {
  if !condition { fatalError("broken: \(promise)") }
}
