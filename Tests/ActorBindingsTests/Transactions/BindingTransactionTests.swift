import ActorBindings
import Testing

private struct Refusal: Error {}

@Suite
struct BindingTransactionTests {
  private let alice = BindableActor(100)
  private let bob = BindableActor(0)

  @Test
  func `the writes of a transaction take effect together`() {
    let rest = BindingTransaction.run { transaction in
      transaction[alice] -= 30
      transaction[bob] += 30
      return transaction[alice]
    }
    #expect(rest == 70)
    #expect(alice.value == 70)
    #expect(bob.value == 30)
    #expect(alice.version == 1)
    #expect(bob.version == 1)
  }

  @Test
  func `a transaction reads what it wrote, and makes one update of each cell`() {
    BindingTransaction.run { transaction in
      for _ in 0..<10 { transaction[alice] += 1 }
      #expect(transaction[alice] == 110)
      #expect(alice.value == 100)
    }
    #expect(alice.value == 110)
    #expect(alice.version == 1)
  }

  @Test
  func `if the body throws, nothing is written`() {
    #expect(throws: Refusal.self) {
      try BindingTransaction.run { (transaction: inout BindingTransaction) throws(Refusal) in
        transaction[alice] -= 200
        if transaction[alice] < 0 { throw Refusal() }
        transaction[bob] += 200
      }
    }
    #expect(alice.value == 100)
    #expect(alice.version == 0)
    #expect(bob.version == 0)
  }

  @Test
  func `a body that throws has read one instant, or runs again`() throws {
    var runs = 0
    let sum = try BindingTransaction.run { (transaction: inout BindingTransaction) throws(Refusal) in
      runs += 1
      let rest = transaction[alice]
      if runs == 1 {
        BindingTransaction.run { other in
          other[alice] -= 20
          other[bob] += 20
        }
      }
      if rest + transaction[bob] != 100 { throw Refusal() }
      return rest + transaction[bob]
    }
    #expect(runs == 2)
    #expect(sum == 100)
    #expect(alice.version == 1)
  }

  @Test
  func `a cell that is only read is not written`() {
    let sum = BindingTransaction.run { $0[alice] + $0[bob] }
    #expect(sum == 100)
    #expect(alice.version == 0)
    BindingTransaction.run { $0[bob] = $0[alice] }
    #expect(alice.version == 0)
    #expect(bob.version == 1)
    BindingTransaction.run { _ in }
  }

  @Test
  func `the body runs again when another writer wrote a cell that the body has read`() {
    var runs = 0
    BindingTransaction.run { transaction in
      runs += 1
      let balance = transaction[alice]
      if runs == 1 { alice.send(50) }
      transaction[bob] = balance
    }
    #expect(runs == 2)
    #expect(bob.value == 50)
    #expect(bob.version == 1)
  }

  @Test
  func `the body runs again when another writer wrote a cell that it writes`() {
    var runs = 0
    BindingTransaction.run { transaction in
      runs += 1
      transaction[alice] -= 1
      if runs == 1 { alice.send(50) }
      transaction[bob] += 1
    }
    #expect(runs == 2)
    #expect(alice.value == 49)
    #expect(bob.value == 1)
  }

  @Test(arguments: [16, 17, 1_000])
  func `many cells, named in any order and twice, are written at one instant`(_ count: Int) {
    let cells = (0..<count).map { BindableActor($0) }
    var runs = 0
    let sum = BindingTransaction.run { transaction in
      runs += 1
      for index in cells.indices.shuffled() { transaction[cells[index]] += 1 }
      // During the first run another writer writes.
      if runs == 1 { cells[count / 2].send(0) }
      return cells.shuffled().reduce(0) { $0 + transaction[$1] }
    }
    #expect(runs == 2)
    #expect(sum == (0..<count).reduce(count, +) - count / 2)
    #expect(cells.reduce(0) { $0 + $1.value } == sum)
    for (index, cell) in cells.enumerated() { #expect(cell.version == (index == count / 2 ? 2 : 1)) }
  }

  @Test
  func `if one of the cells has finished, none is changed`() {
    alice.finish()
    let result = BindingTransaction.run { transaction in
      transaction[bob] += 1
      transaction[alice] -= 1
      return transaction[bob]
    }
    #expect(result == 1)
    #expect(bob.value == 0)
    #expect(alice.value == 100)
    let copied = BindingTransaction.run { transaction in
      transaction[bob] = transaction[alice]
      return true
    }
    #expect(copied)
    #expect(bob.value == 100)
  }

  @Test
  func `observers of one cell see one update, and observers of both cells see both writes`() {
    let context = ManualContext()
    let (ofAlice, ofBoth) = (Recorder<Int>(), Recorder<Int>())
    let tokens = [
      alice.observe(on: context.delivery, backlog: .unbounded) { ofAlice.record($0) },
      combineLatest(alice, bob).map { $0 + $1 }
        .observe(on: context.delivery, backlog: .unbounded) { ofBoth.record($0) },
      combineLatest(bob, alice).map { $0 + $1 }.observe(on: context.delivery) { ofBoth.record($0) },
    ]
    context.run()
    for _ in 1...10 {
      BindingTransaction.run { transaction in
        transaction[alice] -= 1
        transaction[alice] -= 1
        transaction[bob] += 2
      }
      context.run()
    }
    #expect(ofAlice.elements == (0...10).map { 100 - 2 * $0 })
    #expect(ofBoth.elements == Array(repeating: 100, count: 22))
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `one transaction wakes a reader of both cells once`() {
    let context = ManualContext()
    let token = combineLatest(alice, bob).observe(on: context.delivery) { _ in }
    context.run()
    BindingTransaction.run { transaction in
      transaction[alice] -= 1
      transaction[bob] += 1
    }
    #expect(context.pending == 1)
    context.run()
    #expect(context.pending == 0)
    withExtendedLifetime(token) {}
  }

  @Test
  func `replaced values are released after all locks, even if a deinit writes`() {
    let last = BindableActor<Mortal?>()
    let log = BindableActor(0)
    for _ in 1...3 {
      BindingTransaction.run { transaction in
        transaction[last] = Mortal { [log, alice] in
          log.modify { $0 += 1 }
          alice.send(alice.value)
        }
        transaction[alice] += 1
      }
    }
    last.send(nil)
    #expect(log.value == 3)
    #expect(alice.value == 103)
  }

  @Test
  func `a transaction of any size releases what it holds, however a run ends`() {
    let deaths = BindableActor(0)
    let cells = (0..<20).map { _ in
      BindableActor<Mortal?>(Mortal { deaths.modify { $0 += 1 } })
    }
    var runs = 0
    BindingTransaction.run { transaction in
      runs += 1
      for cell in cells { _ = transaction[cell] }
      transaction[bob] += transaction[alice]
      if runs == 1 { alice.send(50) }
    }
    #expect(runs == 2)
    #expect(throws: Refusal.self) {
      try BindingTransaction.run { (transaction: inout BindingTransaction) throws(Refusal) in
        for cell in cells { transaction[cell] = nil }
        throw Refusal()
      }
    }
    #expect(deaths.value == 0)
    BindingTransaction.run { transaction in
      for cell in cells { transaction[cell] = nil }
    }
    #expect(deaths.value == 20)
  }

  @Test
  func `values that exceed a reader's backlog are released`() {
    let deaths = BindableActor(0)
    let cell = BindableActor<Mortal?>(nil)
    let context = ManualContext()
    let token = cell.observe(on: context.delivery, backlog: .bounded(2)) { _ in }
    for _ in 1...5 {
      BindingTransaction.run { $0[cell] = Mortal { deaths.modify { $0 += 1 } } }
    }
    #expect(deaths.value == 3)
    withExtendedLifetime(token) {}
  }

  @Test
  func `values of all sizes and alignments`() {
    let narrow = BindableActor(false)
    let aligned = BindableActor(SIMD8<Double>(repeating: 1))
    let wide = BindableActor(SIMD64<Int>(repeating: 1))
    let text = BindableActor("one")
    for _ in 1...3 {
      BindingTransaction.run { transaction in
        transaction[narrow].toggle()
        transaction[wide] &+= 1
        transaction[alice] += 1
        transaction[aligned] *= 2
        transaction[text] += ", and one more that makes it long"
      }
    }
    #expect(narrow.value)
    #expect(aligned.value == SIMD8(repeating: 8))
    #expect(wide.value == SIMD64(repeating: 4))
    #expect(alice.value == 103)
    #expect(text.value.count == 102)
  }

  @Test
  func `a cell may be deallocated before the transaction takes effect, and has then finished`() {
    let deaths = BindableActor(0)
    for isWritten in [false, true] {
      BindingTransaction.run { transaction in
        let brief = BindableActor(Mortal { deaths.modify { $0 += 1 } })
        _ = transaction[brief]
        transaction[alice] += 1
        if isWritten { transaction[brief] = Mortal { deaths.modify { $0 += 1 } } }
      }
    }
    #expect(deaths.value == 3)
    #expect(alice.value == 101)
  }

  @Test
  func `a transaction within another one takes effect first`() {
    BindingTransaction.run { outer in
      outer[alice] += 1
      BindingTransaction.run { inner in
        inner[bob] += outer[alice]
        outer[alice] += 1
      }
      #expect(bob.value == 101)
      #expect(alice.value == 100)
    }
    #expect(alice.value == 102)
  }

  @Test
  func `a slow transaction among fast writers succeeds`() async {
    let isOver = Flag()
    let writer = Task.detached { [alice] in
      while !isOver.isSet { alice.modify { $0 += 1 } }
    }
    var sum = 0
    for _ in 1...20 {
      BindingTransaction.run { transaction in
        transaction[bob] += 1
        for number in 0..<2_000 { sum &+= number &* transaction[alice] }
      }
    }
    isOver.set()
    await writer.value
    #expect(bob.value == 20)
    #expect(bob.version == 20)
    #expect(alice.cell.locked { $0.claim == nil })
  }

  @Test
  func `many cells, named in any order`() async {
    let cells = (0..<20).map { _ in BindableActor(0) }
    await concurrently(4) { task in
      for round in 0..<200 {
        BindingTransaction.run { transaction in
          for step in cells.indices {
            let index = task.isMultiple(of: 2) ? step : cells.count - 1 - step
            transaction[cells[index]] += round.isMultiple(of: 2) ? 1 : -1
          }
        }
      }
    }
    #expect(cells.allSatisfy { $0.value == 0 && $0.version == 800 })
  }
}
