import ActorBindings
import Synchronization
import Testing

@Suite
struct LogNodeTests {
  private static func chain<Value>(_ count: Int, of value: (Int) -> Value) -> LogNode<Value> {
    let first = LogNode(value(0))
    var last = first
    for index in 1..<count {
      let node = LogNode(value(index))
      last.next = node
      last = node
    }
    return first
  }

  @Test
  func `a million nodes are freed without recursion`() {
    weak var last: LogNode<any Sendable>?
    do {
      let first = Self.chain(1_000_000) { $0 as any Sendable }
      var node = first
      while let next = node.next { node = next }
      last = node
      #expect(last != nil)
    }
    #expect(last == nil)
  }

  @Test
  func `freeing a chain stops at the first node that another reader holds`() {
    let freed = Recorder<Int>()
    var kept: LogNode<Mortal>?
    do {
      let first = Self.chain(10) { index in Mortal { freed.record(index) } }
      kept = first.next?.next?.next
    }
    #expect(freed.elements.sorted() == [0, 1, 2])
    #expect(kept?.next?.next != nil)
    kept = nil
    #expect(freed.elements.sorted() == Array(0..<10))
  }

  @Test
  func `a deinit may call the cell when a backlog is released`() {
    let freed = Atomic(0)
    let cell = BindableActor<Mortal?>()
    do {
      let backlog = cell.values(backlog: .unbounded)
      for _ in 0..<10_000 {
        let mortal = Mortal { [weak cell] in
          if cell?.version != nil { freed.wrappingAdd(1, ordering: .relaxed) }
        }
        cell.send(mortal)
      }
      cell.send(nil)
      #expect(freed.load(ordering: .relaxed) == 0)
      withExtendedLifetime(backlog) {}
    }
    #expect(freed.load(ordering: .relaxed) == 10_000)
  }
}
