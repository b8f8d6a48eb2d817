import ActorBindings
import Reporting

/// W20: operators on collections that update their result change by change.
enum Arranging {
  static let workloads = [mapped, filtered, sorted, predicates, beginning]

  private static let size = 100_000

  // MARK: One edit

  private static let mapped = Workload(
    "W20.map",
    "An element of \(grouped(size)) is replaced: until a reader has the mapped array",
    per: "edit",
    comparedTo: "map, of all",
    [
      .ours("mapElements", 5_000, .times(0.1, of: "map, of all")) { n in
        try edit(n, { $0.mapElements(tripled) }, like: { $0.map(tripled) })
      },
      .ours("mapElements, changes", 5_000, .times(0.1, of: "map, of all")) { n in
        try follow(n, { $0.mapElements(tripled) }, like: { $0.map(tripled) })
      },
      .baseline("map, of all", 500) { n in try redo(n) { $0.map(tripled) } },
      .baseline("one step by hand", 200_000) { n in
        try step(n, { $0.map(tripled) }) { made, index, _, new in made[index] = tripled(new) }
      },
    ]
  )

  private static let filtered = Workload(
    "W20.filter",
    "An element of \(grouped(size)) is replaced: until a reader has the even ones",
    per: "edit",
    comparedTo: "filter, of all",
    [
      .ours("filterElements", 5_000, .times(0.1, of: "filter, of all")) { n in
        try edit(n, { $0.filterElements(isEven) }, like: { $0.filter(isEven) })
      },
      .ours("filterElements, changes", 5_000, .times(0.1, of: "filter, of all")) { n in
        try follow(n, { $0.filterElements(isEven) }, like: { $0.filter(isEven) })
      },
      .baseline("filter, of all", 200) { n in try redo(n) { $0.filter(isEven) } },
    ]
  )

  private static let sorted = Workload(
    "W20.sorted",
    "An element of \(grouped(size)) is replaced: until a reader has the sorted array",
    per: "edit",
    comparedTo: "sorted, of all",
    [
      .ours("sorted(by:)", 2_000, .times(0.01, of: "sorted, of all")) { n in
        try edit(n, { $0.sorted { $0 < $1 } }, like: { $0.sorted(by: <) })
      },
      .ours("sorted(by:), changes", 2_000, .times(0.01, of: "sorted, of all")) { n in
        try follow(n, { $0.sorted { $0 < $1 } }, like: { $0.sorted(by: <) })
      },
      .baseline("sorted, of all", 10) { n in try redo(n) { $0.sorted(by: <) } },
      // A removal or an insertion moves all elements behind it, in one piece.
      .baseline("one step by hand", 2_000) { n in
        try step(n, { $0.sorted(by: <) }) { made, _, old, new in
          made.remove(at: place(of: old, in: made))
          made.insert(new, at: place(of: new, in: made))
        }
      },
    ]
  )

  @Sendable private static func tripled(_ element: Int) -> Int { 3 &* element }
  @Sendable private static func isEven(_ element: Int) -> Bool { element & 1 == 0 }

  private static func place(of element: Int, in elements: [Int]) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // Returns numbers that are different and not in order, odd and even in turn. In the end, all elements have been
  // replaced.
  private static func element(_ number: Int) -> Int { number &* 61_803 % 1_000_003 }
  private static func index(_ number: Int) -> Int { number &* 61_803 % size }
  private static var elements: [Int] { (0..<size).map(element) }

  @inline(__always)
  private static func edit<Source: BindingSource<PersistentArray<Int>>>(
    _ n: Int,
    _ chain: (BindableArray<Int>) -> Source,
    like whole: ([Int]) -> [Int]
  ) throws -> Sample {
    let (board, context, last) = (BindableArray(elements), PumpedContext(), Last())
    let token = chain(board).observe(on: context.context) { last.list = $0 }
    return try edit(n, board, context, { last.list.elementsEqual(whole($0)) }, token)
  }

  // Follows a source as a view does that shows the source.
  @inline(__always)
  private static func follow<Source: BindingSource<PersistentArray<Int>>>(
    _ n: Int,
    _ chain: (BindableArray<Int>) -> Source,
    like whole: ([Int]) -> [Int]
  ) throws -> Sample {
    let (board, context, last) = (BindableArray(elements), PumpedContext(), Last())
    let token = chain(board).changes.observe(on: context.context) { change in
      if case .edits(let edits) = change.content { last.steps += edits.count }
      last.list = change.value
    }
    let sample = try edit(n, board, context, { last.list.elementsEqual(whole($0)) }, token)
    try expect(last.steps > 0, "no steps were reported")
    return sample
  }

  @inline(__always)
  private static func edit(
    _ n: Int,
    _ board: BindableArray<Int>,
    _ context: PumpedContext,
    _ isRight: ([Int]) -> Bool,
    _ token: BindingToken
  ) throws -> Sample {
    context.run()
    let sample = timed {
      for i in 0..<n {
        board.update(element(size + i), at: index(i))
        context.run()
      }
    }
    try expect(isRight(Array(board.value)), "the reader has a wrong result")
    token.cancel()
    return sample
  }

  @inline(__always)
  private static func redo(_ n: Int, _ make: ([Int]) -> [Int]) throws -> Sample {
    let array = LockedArray(elements)
    var made = make(array.value)
    let sample = timed {
      for i in 0..<n {
        _ = array.update(element(size + i), at: index(i))
        made = make(array.value)
      }
    }
    try expect(made == make(array.value), "the reader has a wrong result")
    return sample
  }

  // Times edits by hand, for a reader that receives the replaced element.
  @inline(__always)
  private static func step(
    _ n: Int,
    _ make: ([Int]) -> [Int],
    _ edit: (_ made: inout [Int], _ index: Int, _ old: Int, _ new: Int) -> Void
  ) throws -> Sample {
    let array = LockedArray(elements)
    var made = make(array.value)
    let sample = timed {
      for i in 0..<n {
        let new = element(size + i)
        edit(&made, index(i), array.update(new, at: index(i)), new)
      }
    }
    try expect(made == make(array.value), "the reader has a wrong result")
    return sample
  }

  // MARK: All of them

  private static let fewer = 10_000

  private static let predicates = Workload(
    "W20.predicate",
    "A new predicate for \(grouped(fewer)) elements: until a reader has the filtered array",
    per: "element",
    fan: fewer,
    comparedTo: "filter",
    [
      .ours("filterElements(by:)", 5) { n in
        let board = BindableArray(elements[..<fewer])
        let (cell, context, last) = (BindableActor(0), PumpedContext(), Last())
        let chain = board.filterElements(by: cell.map { bit in { @Sendable element in element & 1 == bit } })
        let token = chain.observe(on: context.context) { last.list = $0 }
        context.run()
        let sample = timed {
          for i in 1...n {
            cell.send(i & 1)
            context.run()
          }
        }
        try expect(
          last.list.elementsEqual(board.value.filter { $0 & 1 == n & 1 }),
          "the reader has wrong elements"
        )
        token.cancel()
        return sample
      },
      .baseline("filter", 500) { n in
        let array = LockedArray(elements[..<fewer])
        var made: [Int] = []
        let sample = timed {
          for i in 1...n { made = array.value.filter { $0 & 1 == i & 1 } }
        }
        try expect(made == array.value.filter { $0 & 1 == n & 1 }, "the reader has wrong elements")
        return sample
      },
    ]
  )

  private static let beginning = Workload(
    "W20.begin",
    "The first look of a reader: what is made of \(grouped(fewer)) elements",
    per: "element",
    fan: fewer,
    comparedTo: "sorted",
    [
      .ours("mapElements", 5) { n in try begin(n) { $0.mapElements(tripled) } },
      .ours("filterElements", 5) { n in try begin(n) { $0.filterElements(isEven) } },
      .ours("sorted(by:)", 2) { n in try begin(n) { $0.sorted { $0 < $1 } } },
      .baseline("map", 2_000) { n in try make(n) { $0.map(tripled) } },
      .baseline("filter", 1_000) { n in try make(n) { $0.filter(isEven) } },
      .baseline("sorted", 50) { n in try make(n) { $0.sorted(by: <) } },
    ]
  )

  @inline(__always)
  private static func begin<Source: StateSource<PersistentArray<Int>>>(
    _ n: Int,
    _ chain: (BindableArray<Int>) -> Source
  ) throws -> Sample {
    let source = chain(BindableArray(elements[..<fewer]))
    var count = 0
    let sample = timed {
      for _ in 0..<n { count += source.value.count }
    }
    try expect(count, equals: n * source.value.count, "elements")
    return sample
  }

  @inline(__always)
  private static func make(_ n: Int, _ make: ([Int]) -> [Int]) throws -> Sample {
    let array = LockedArray(elements[..<fewer])
    var count = 0
    let sample = timed {
      for _ in 0..<n { count += make(array.value).count }
    }
    try expect(count, equals: n * make(array.value).count, "elements")
    return sample
  }
}

/// The value that a reader received last.
// @unchecked: used by one thread.
private final class Last: @unchecked Sendable {
  @exclusivity(unchecked) var list: PersistentArray<Int> = []
  @exclusivity(unchecked) var steps = 0
}
