import ActorBindings
import Testing

/// A group that waits for the ends of a first cell and of a second cell.
@Suite
struct EndWaiterGroupTests {
  private let first = BindableActor(1)
  private let second = BindableActor(2)
  private let ends = Counter()

  private func group() -> EndWaiterGroup {
    EndWaiterGroup(of: [first.cell, second.cell]) { [ends] in ends.add() }
  }

  private var waiters: [Int] {
    [first, second].map { $0.cell.locked { $0.endWaiterCount } }
  }

  @Test
  func `a group reports no end while its cells live, and the end of each cell when it comes`() {
    let group = group()
    group.start()
    #expect(ends.value == 0)
    #expect(waiters == [1, 1])
    second.finish()
    #expect(ends.value == 1)
    first.finish()
    #expect(ends.value == 2)
  }

  @Test
  func `a group reports a cell that has ended before the start, and waits for the other`() {
    let group = group()
    first.finish()
    #expect(ends.value == 0, "the group waits before its start")
    group.start()
    #expect(ends.value == 1)
    #expect(waiters[1] == 1)
    second.finish()
    #expect(ends.value == 2)
  }

  @Test
  func `only the first start has an effect`() {
    let group = group()
    first.finish()
    group.start()
    group.start()
    #expect(ends.value == 1)
    #expect(waiters[1] == 1)
    group.stop()
  }

  @Test
  func `a group that has stopped waits for no cell, and does not start again`() {
    let group = group()
    group.start()
    group.stop()
    #expect(waiters == [0, 0])
    group.start()
    #expect(waiters == [0, 0])
    first.finish()
    #expect(ends.value == 0)
  }

  @Test
  func `a group that is stopped before its start never starts`() {
    let group = group()
    group.stop()
    first.finish()
    group.start()
    #expect(ends.value == 0)
    #expect(waiters[1] == 0)
  }

  @Test
  func `a group that is stopped during its start leaves the cells that it joins afterwards`() {
    let stopped = Box<EndWaiterGroup>()
    let group = EndWaiterGroup(of: [first.cell, second.cell]) { stopped.value?.stop() }
    stopped.value = group
    first.finish()
    group.start()
    #expect(waiters[1] == 0)
    stopped.value = nil
  }
}
