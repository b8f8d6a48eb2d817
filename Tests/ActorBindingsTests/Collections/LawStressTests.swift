import ActorBindings
import Testing

/// Lets three tasks edit a collection at random. A reader that applies each change to its copy must have exactly what
/// the cell held.
@Suite
struct LawStressTests {
  @Test
  func `G2 G3 G5 an array rebuilt from its changes is the cell's, at every version`() async {
    for seed in 0..<stressed(20) {
      let cell = BindableArray<Int>()
      await withTaskGroup(of: Void.self) { group in
        for backlog in [Backlog.latest, .bounded(2), .bounded(50), .unbounded] {
          let changes = cell.changes(backlog: backlog)
          group.addTask {
            var rows: [Int] = []
            var last: UInt64?
            for await change in changes {
              rows.apply(change)
              #expect(rows == Array(change.value))
              if let last { #expect(change.version == last + 1 + UInt64(change.skipped)) }
              last = change.version
            }
            #expect(rows == Array(cell.value))
            #expect(last == cell.version)
          }
        }
        let sorted = cell.filterElements { $0 % 2 == 0 }.mapElements { -$0 }.sorted()
        let derived = sorted.changes(backlog: .latest)
        group.addTask {
          var rows: [Int] = []
          for await change in derived {
            rows.apply(change)
            #expect(rows == Array(change.value))
          }
          #expect(rows == cell.value.filter { $0 % 2 == 0 }.map { -$0 }.sorted())
        }
        group.addTask {
          await withTaskGroup(of: Void.self) { writers in
            for writer in 0..<3 {
              writers.addTask {
                var numbers = Numbers(seed: UInt64(seed * 3 + writer))
                for _ in 0..<333 { edit(cell, &numbers) }
              }
            }
          }
          cell.finish()
        }
      }
    }
  }

  private func edit(_ cell: BindableArray<Int>, _ numbers: inout Numbers) {
    let element = Int.random(in: 0..<1000, using: &numbers)
    let choice = Int.random(in: 0..<40, using: &numbers)
    cell.modify { list in
      let place = list.isEmpty ? 0 : element % list.count
      switch choice {
      case 0: list.removeAll()
      case 1: list.sort()
      case 2..<8 where !list.isEmpty: list.remove(at: place)
      case 8..<12 where !list.isEmpty: list.move(from: place, to: list.count / 2)
      case 12..<20 where !list.isEmpty: list.update(element, at: place)
      case 20..<22: list.replaceSubrange(place..., with: [element, element + 1])
      case 22..<30: list.insert(element, at: place)
      default: list.append(element)
      }
    }
    if choice >= 30 { cell.append(element) }
  }

  @Test
  func `G2 G3 G5 a dictionary rebuilt from its changes is the cell's, at every version`() async {
    for seed in 0..<stressed(20) {
      let cell = BindableDictionary<Int, Int>()
      await withTaskGroup(of: Void.self) { group in
        for backlog in [Backlog.latest, .bounded(2), .bounded(50), .unbounded] {
          let changes = cell.changes(backlog: backlog)
          group.addTask {
            var rows: [Int: Int] = [:]
            var last: UInt64?
            for await change in changes {
              rows.apply(change)
              #expect(rows == Dictionary(change.value))
              if let last { #expect(change.version == last + 1 + UInt64(change.skipped)) }
              last = change.version
            }
            #expect(rows == Dictionary(cell.value))
            #expect(last == cell.version)
          }
        }
        group.addTask {
          await withTaskGroup(of: Void.self) { writers in
            for writer in 0..<3 {
              writers.addTask {
                var numbers = Numbers(seed: UInt64(seed * 3 + writer))
                for _ in 0..<333 {
                  let key = Int.random(in: 0..<50, using: &numbers)
                  switch Int.random(in: 0..<30, using: &numbers) {
                  case 0: cell.removeAll()
                  case 1..<10: cell.removeValue(forKey: key)
                  default: cell.modify(forKey: key) { $0 = ($0 ?? 0) + 1 }
                  }
                }
              }
            }
          }
          cell.finish()
        }
      }
    }
  }
}
