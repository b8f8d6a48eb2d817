import ActorBindings
import Testing

/// Tests `grouped(by:)` and `joined(with:)`.
@Suite
struct GroupAndJoinTests {
  @Test(arguments: 0..<40)
  func `the groups are those of the whole after each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    let (cell, context) = (BindableDictionary<Int, Int>(), ManualContext())
    let grouped = cell.grouped { $0 % 7 }
    let mirrors = [Backlog.latest, .unbounded].map { DictionaryMirror(grouped, context, $0) }
    let counts = DictionaryMirror(grouped.mapElements(\.count), context)
    let one = DictionaryMirror(grouped.map { $0[3] ?? [:] }, context)
    for _ in 0..<60 {
      cell.scramble(&numbers)
      context.run()
      let whole = Dictionary(grouping: cell.value, by: { $0.value % 7 })
        .mapValues { Dictionary(uniqueKeysWithValues: $0.map { ($0.key, $0.value) }) }
      for mirror in mirrors { #expect(mirror.rows.mapValues { Dictionary($0) } == whole) }
      #expect(counts.rows == whole.mapValues(\.count))
      #expect(one.rows == whole[3] ?? [:])
    }
  }

  @Test
  func `an entry that changes its group is one edit of each group`() throws {
    let (cell, context) = (BindableDictionary(["a": 1, "b": 1, "c": 2]), ManualContext())
    let mirror = DictionaryMirror(cell.grouped { $0 }, context)
    context.run()
    cell.set(2, forKey: "a")
    context.run()
    let edits = try #require(mirror.lastEdits)
    #expect(Set(edits.map(\.key)) == [1, 2])
    for edit in edits {
      let inner = edit.newValue?.edits(from: edit.oldValue ?? [:])
      #expect(inner == [edit.key == 1 ? .remove(key: "a", value: 1) : .insert(key: "a", value: 2)])
    }
    cell.removeValue(forKey: "b")
    context.run()
    #expect(mirror.lastEdits?.map(\.newValue) == [nil])
    #expect(mirror.rows.mapValues(\.count) == [2: 2])
  }

  @Test(arguments: 0..<40)
  func `the join is that of the wholes after each change`(seed: UInt64) {
    var numbers = Numbers(seed: seed)
    let (one, other) = (BindableDictionary<Int, Int>(), BindableDictionary<Int, Int>())
    let context = ManualContext()
    let mirrors = [
      DictionaryMirror(one.joined(with: other) { $0 ?? $1 }, context),
      DictionaryMirror(one.joined(with: other) { $1 == nil ? $0 : nil }, context, .unbounded),
      DictionaryMirror(one.joined(with: other) { $1 == nil ? nil : $0 }, context, .bounded(2)),
      DictionaryMirror(
        one.joined(with: other) { one, other in
          if let one, let other { one * other } else { nil }
        },
        context
      ),
    ]
    for _ in 0..<60 {
      one.scramble(&numbers)
      other.scramble(&numbers)
      if Int.random(in: 0..<3, using: &numbers) == 0 {
        let key = Int.random(in: 0..<40, using: &numbers)
        BindingTransaction.run { transaction in
          transaction[one][key] = 1
          transaction[other][key] = Bool.random(using: &numbers) ? nil : 2
        }
      }
      context.run()
      let (first, second) = (Dictionary(one.value), Dictionary(other.value))
      #expect(mirrors[0].rows == first.merging(second) { first, _ in first })
      #expect(mirrors[1].rows == first.filter { second[$0.key] == nil })
      #expect(mirrors[2].rows == first.filter { second[$0.key] != nil })
      let products = first.compactMap { key, value in second[key].map { (key, value * $0) } }
      #expect(mirrors[3].rows == Dictionary(uniqueKeysWithValues: products))
    }
  }

  @Test
  func `a key that one transaction writes in both dictionaries is joined once`() {
    let (one, other, context) = (BindableDictionary(["a": 1]), BindableDictionary(["a": 10]), ManualContext())
    let asked = Recorder<[Int?]>()
    let mirror = DictionaryMirror(
      one.joined(with: other) { one, other in
        asked.record([one, other])
        return (one ?? 0) + (other ?? 0)
      },
      context,
      .unbounded
    )
    context.run()
    BindingTransaction.run { transaction in
      transaction[one]["a"] = 2
      transaction[other]["a"] = 20
    }
    context.run()
    #expect(asked.elements == [[1, 10], [2, 20]])
    BindingTransaction.run { transaction in
      transaction[one]["a"] = nil
      transaction[other]["a"] = nil
    }
    context.run()
    #expect(asked.count == 2)
    #expect(mirror.rows == [:])
    #expect(mirror.changeCount == 3)
  }
}
