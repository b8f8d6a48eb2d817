import ActorBindings
import Testing

/// Tests each operator, with each backlog, in each form in which a source can be followed: observed, bound and
/// streamed. After every few writes, each form must have received the values that the documentation promises for the
/// backlog.
@Suite
struct EveryFormTests {
  @Test(arguments: Operator.all, Form.allCases)
  func `each form with each backlog receives what is promised`(tried: Operator, form: Form) async {
    for (backlog, expected) in [
      (Backlog.latest, tried.latest), (.bounded(2), tried.newestTwo), (.unbounded, tried.all),
    ] {
      let cells = Cells()
      let source = tried.make(cells)
      let following = form.follow(source, backlog)
      let seen = await tried.play(on: cells, source, following)
      if form.isBusyAllTheWhile || !tried.comesToRest || backlog == .unbounded {
        #expect(seen == expected, "\(backlog)")
      } else {
        #expect(mayBe(seen, with: expected, of: tried.all), "\(backlog): \(seen)")
      }
      #expect(following.hasEnded(), "\(backlog)")
      #expect(cells.all.allSatisfy { $0.observerCount == 0 }, "\(backlog)")
    }
  }

  // Returns whether `seen` is allowed: a reader that was not always busy may also have received older values, in order.
  private func mayBe(_ seen: [[Int]], with least: [[Int]], of all: [[Int]]) -> Bool {
    seen.count == all.count
      && seen.indices.allSatisfy { index in
        contains(seen[index], least[index]) && contains(all[index], seen[index])
          && seen[index].last == all[index].last
      }
  }

  private func contains(_ all: [Int], _ some: [Int]) -> Bool {
    var rest = all[...]
    return some.allSatisfy { value in
      guard let index = rest.firstIndex(of: value) else { return false }
      rest = rest[(index + 1)...]
      return true
    }
  }
}

/// The sources to which the operators are applied.
struct Cells: Sendable {
  let a = BindableActor(1)
  let b = BindableActor(10)
  /// Selects the source that is followed: 0 selects `a`, and 1 selects `b`.
  let room = BindableActor(0)
  let clock = ManualClock()

  var all: [BindableActor<Int>] { [a, b, room] }
}

/// A step that a test makes while the reader is busy.
enum Step: Sendable {
  case a(Int)
  case b(Int)
  case both(Int, Int)
  case room(Int)
  case finish
  /// Waits until the operator's own reader has passed on what was written.
  case rest
  /// Advances the clock by an interval. At its end, the operator writes its cell, whose version is then this number.
  case interval(Int)
  /// Lets the reader continue until it has seen everything.
  case read
}

extension Operator {
  /// Takes the steps. Returns what the reader received each time it continued.
  func play(on cells: Cells, _ source: some BindingSource<Int>, _ following: Following) async -> [[Int]] {
    var seen: [[Int]] = []
    var writes: [Step] = []
    for step in script {
      guard step.isPause else {
        writes.append(step)
        continue
      }
      await following.whileBusy { [writes] in writes.forEach { $0.write(to: cells) } }
      writes = []
      switch step {
      case .rest: for cell in [cells.room, cells.a, cells.b] { await cell.settled() }
      case .interval(let number):
        await cells.clock.slept(1)
        cells.clock.advance(by: .seconds(3))
        // The operator wakes the readers after the version has changed, so the test waits for both.
        await eventually {
          source.cursor.root.cell.locked { $0.version } == number && following.isDue()
        }
      case .read:
        let before = seen.joined().count
        await following.getOn()
        seen.append(Array(following.seen.elements.dropFirst(before)))
      case .a, .b, .both, .room, .finish: break
      }
    }
    return seen
  }
}

extension Step {
  fileprivate func write(to cells: Cells) {
    switch self {
    case .a(let value): cells.a.send(value)
    case .b(let value): cells.b.send(value)
    case .room(let number): cells.room.send(number)
    case .finish: cells.all.forEach { $0.finish() }
    case .both(let a, let b):
      BindingTransaction.run { transaction in
        transaction[cells.b] = b
        transaction[cells.a] = a
      }
    case .rest, .interval, .read: break
    }
  }

  fileprivate var isPause: Bool {
    switch self {
    case .rest, .interval, .read: true
    case .a, .b, .both, .room, .finish: false
    }
  }
}
