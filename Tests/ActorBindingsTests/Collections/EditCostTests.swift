import ActorBindings
import Foundation
import Testing

/// Tests that the cost of an edit does not grow with the collection: the time of n and of 4 n elements.
@Suite
struct EditCostTests {
  enum Operator: String, CaseIterable {
    case sortedByNewest, filterEntriesByNewest, sortedEntriesByNewest
    case grouped, joined, page, reversed
  }

  @Test(arguments: Operator.allCases)
  func `an edit costs the same for four times the elements`(_ name: Operator) {
    // What looks at all elements needs four times the time. Another process may disturb a single measurement.
    let isIndependent = (0..<10).contains { _ in
      let (few, many) = (time(name, count: 500), time(name, count: 2000))
      return many < few * 2
    }
    #expect(isIndependent)
  }

  // Returns the time of this thread for some edits.
  private func time(_ name: Operator, count: Int) -> Double {
    let context = ManualContext()
    let array = BindableArray(0..<count)
    let entries = Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) })
    let (one, other) = (BindableDictionary(entries), BindableDictionary(entries))
    let token = begin(name, array, one, other, context)
    context.run()
    let start = threadTime()
    for number in 0..<20 {
      array.insert(number, at: 1)
      array.update(-number, at: count / 2)
      array.remove(at: 0)
      one.set(number + 1, forKey: number)
      other.removeValue(forKey: number * 7)
      context.run()
    }
    let end = threadTime()
    token.cancel()
    return end - start
  }

  private func begin(
    _ name: Operator,
    _ array: BindableArray<Int>,
    _ one: BindableDictionary<Int, Int>,
    _ other: BindableDictionary<Int, Int>,
    _ context: ManualContext
  ) -> BindingToken {
    func observe(_ source: some BindingSource<some PersistentCollection>) -> BindingToken {
      source.changes.observe(on: context.delivery) { _ in }
    }
    let order = BindableActor<@Sendable (Int, Int) -> Bool> { $0 < $1 }
    let predicate = BindableActor<@Sendable (Int) -> Bool> { $0 % 2 == 0 }
    let entryOrder = BindableActor<@Sendable ((key: Int, value: Int), (key: Int, value: Int)) -> Bool> {
      ($0.value, $0.key) < ($1.value, $1.key)
    }
    return switch name {
    case .sortedByNewest: observe(array.sorted(by: order))
    case .filterEntriesByNewest: observe(one.filterElements(by: predicate))
    case .sortedEntriesByNewest: observe(one.sorted(by: entryOrder))
    case .grouped: observe(one.grouped { $0 % 10 })
    case .joined: observe(one.joined(with: other) { $0 ?? $1 })
    case .page: observe(array.page(offset: 0, count: 1_000_000))
    case .reversed: observe(array.reversed())
    }
  }

  private func threadTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
