import ActorBindings
import Testing

private struct Name: Sendable {
  var first: Int
  var last: Int
}

@Suite
struct CombiningStressTests {
  @Test(arguments: [Backlog.latest, .bounded(16), .unbounded])
  func `the diamond: a million updates, and no pair that did not exist`(backlog: Backlog) async {
    let user = BindableActor(Name(first: 0, last: 0))
    let names = combineLatest(user.map(\.first), user.map(\.last))
    let rounds = stressed(backlog == .latest ? 1_000_000 : 100_000) / 4
    let stale = Counter()
    async let seen = Task.detached {
      var newest = -1
      for await (first, last) in names.values(backlog: backlog) {
        if first != last || first <= newest { stale.add() }
        newest = first
      }
      return newest
    }.value
    await user.parked(1)
    await concurrently(4) { _ in
      for _ in 0..<rounds {
        user.modify { name in
          name.first += 1
          name.last += 1
        }
      }
    }
    user.finish()
    #expect(await seen == 4 * rounds)
    #expect(stale.value == 0)
  }

  @Test(arguments: [Backlog.latest, .bounded(16), .unbounded])
  func `money moved between 8 cells by 8 tasks: every reader's sum is constant, at every element`(
    backlog: Backlog
  ) async {
    let cells = (0..<8).map { _ in BindableActor(1_000) }
    let sums = combineLatest(
      combineLatest(cells[0], cells[1], cells[2], cells[3]).map { $0 + $1 + $2 + $3 },
      combineLatest(cells[4], cells[5], cells[6], cells[7]).map { $0 + $1 + $2 + $3 }
    ).map { $0 + $1 }
    let transfers = stressed(2_000)
    let readers = (0..<3).map { _ in
      Task.detached {
        var (wrong, count) = (0, 0)
        for await update in sums.updates(backlog: backlog) {
          if update.value != 8_000 { wrong += 1 }
          count += 1
        }
        return (wrong, count)
      }
    }
    let queue = Station()
    let wrong = Counter()
    let token = sums.observe(on: .queue(queue.queue), backlog: backlog) { if $0 != 8_000 { wrong.add() } }
    await eventually { cells[0].observerCount == 4 }
    await concurrently(8) { task in
      await repeatedly(transfers) { round in
        let (from, to) = (cells[(task + round) % 8], cells[(task * 3 + round * 5 + 1) % 8])
        let amount = round % 7
        if from === to { return }
        BindingTransaction.run { transaction in
          transaction[from] -= amount
          transaction[to] += amount
        }
        if sums.value != 8_000 { wrong.add() }
      }
    }
    await cells[3].settled()
    cells.forEach { $0.finish() }
    for reader in readers {
      let (wrong, count) = await reader.value
      #expect(wrong == 0)
      #expect(count >= 1)
    }
    #expect(wrong.value == 0)
    #expect(cells.reduce(0) { $0 + $1.value } == 8_000)
    token.cancel()
    await eventually { cells.allSatisfy { $0.observerCount == 0 } }
    for cell in cells {
      #expect(cell.cell.withFollowers.count == 1)
      cell.cell.locked { $0.checkInvariants($1) }
    }
  }

  @Test
  func `an unbounded reader of two cells sees each update once, in the order of the writes`() async {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let count = stressed(20_000)
    let reader = Task.detached {
      var (wrong, seen, former) = (0, 0, (0, 0))
      for await pair in combineLatest(left, right).values(backlog: .unbounded) {
        let steps = (pair.0 - former.0, pair.1 - former.1)
        if seen > 0, steps != (1, 0), steps != (0, 1) { wrong += 1 }
        former = pair
        seen += 1
      }
      return (wrong, seen)
    }
    await left.parked(1)
    await concurrently(2) { task in
      let cell = task == 0 ? left : right
      await repeatedly(count) { cell.send($0 + 1) }
      cell.finish()
    }
    let (wrong, seen) = await reader.value
    #expect(wrong == 0)
    #expect(seen == 2 * count + 1)
  }

  @Test
  func `combinations that come and go while their cells are written`() async {
    let (left, right) = (BindableActor(0), BindableActor(0))
    let isOver = Flag()
    async let writing: Void = concurrently(2) { task in
      var round = 0
      while !isOver.isSet {
        round += 1
        (task == 0 ? left : right).send(round)
        if round % 64 == 0 { await giveWay() }
      }
    }
    let queue = Station()
    await concurrently(3) { task in
      let backlog = [Backlog.latest, .bounded(3), .unbounded][task]
      for round in 0..<stressed(300) {
        let both = combineLatest(left, right)
        let token = both.observe(on: .queue(queue.queue), backlog: backlog) { _ in }
        var iterator = both.values(backlog: backlog).makeAsyncIterator()
        for _ in 0..<(round % 5) { _ = await iterator.next() }
        if round.isMultiple(of: 2) { await token.cancelAndWait() }
      }
    }
    isOver.set()
    await writing
    // A lane gives up the position of a cancelled observation later.
    let isEmpty = await soon {
      [left, right].allSatisfy { cell in
        cell.cell.locked { state, roster in
          !state.keepsHistory && roster.idle.members.isEmpty && roster.followers.isEmpty
        }
      }
    }
    #expect(isEmpty)
    for cell in [left, right] {
      #expect(cell.observerCount == 0)
      cell.cell.locked { $0.checkInvariants($1) }
    }
  }
}
