import ActorBindings

/// Writes in every way, while other tasks read values that are on the heap.
func useCells() async {
  let numbers = BindableActor([0])
  let quote = BindableActor(Quote(0))
  await concurrently(6) { task, turn in
    switch task {
    case 0: numbers.send([turn])
    case 1, 2: numbers.modify { $0.append(turn) }
    case 3:
      await numbers.update { if $0.count > 100 { $0.removeFirst(50) } }
      quote.send(Quote(turn))
    case 4: quote.modify { $0 = Quote($0.price + 1) }
    default:
      _ = numbers.value.reduce(0, &+)
      _ = quote.value.sum
    }
  }

  let text = BindableActor("")
  await concurrently(4) { task, turn in
    switch task {
    case 0: text.sendIfChanged("a text that is too long to stand in a word: \(turn / 2)")
    case 1: text.compareAndSet(text.value, "another text that is too long to stand in a word: \(turn)")
    default: _ = text.value.utf8.count
    }
  }
}

/// Lets an actor give out copies of its state, and change the state. The actor writes in place after the readers have
/// released their copies.
func usePersistentCollections() async {
  let shop = Shop()
  await concurrently(3) { task, turn in
    switch task {
    case 0:
      await shop.append(turn)
      await shop.change(turn)
    case 1: _ = await shop.list.reduce(0, &+)
    default: _ = await shop.stock.reduce(0) { $0 &+ $1.value.count }
    }
  }
}

private actor Shop {
  private(set) var list: PersistentArray<Int> = []
  private(set) var stock: PersistentDictionary<Int, [Int]> = [:]

  func append(_ item: Int) {
    list.append(item)
    if list.count > 200 { list.removeAll { !$0.isMultiple(of: 7) } }
  }

  func change(_ item: Int) {
    list[list.count / 2] = item
    list.swapAt(0, list.count - 1)
    stock[item % 50, default: []].append(item)
    stock[item % 40]?.removeAll()
    if item.isMultiple(of: 3) { stock[item % 30] = nil }
  }
}
