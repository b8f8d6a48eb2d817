import ActorBindings
import Reporting

/// W18: cells that hold an array.
enum Listing {
  static let workloads =
    [100, 100_000].flatMap { [appending(to: $0), followed($0), waking($0)] }
    + [flat, handedOver(100_000), told(1000), told(100_000), inserting(100_000)]
    + [sending(10_000, differing: 1), sending(10_000, differing: 10), sending(1000, differing: 10)]
    + [reading(100_000)]

  static let byHand = "array under a Mutex, and a send"

  // MARK: Appending

  private static func appending(to size: Int) -> Workload {
    Workload(
      "W18.append.\(size)",
      "Appending to an array of \(grouped(size)), no readers",
      per: "append",
      comparedTo: byHand,
      [
        .ours("append", 500_000, .times(2, of: byHand)) { n in try await append(n, to: size) },
        .ours("modify of a BindableActor of an Array", size < 1000 ? 100_000 : 200) { n in
          let cell = BindableActor(Array(0..<size))
          return try await rounds(n) { i in
            cell.modify { $0.append(i) }
          } removeLast: {
            cell.modify { $0.removeLast() }
          }
        },
        .baseline("array under a Mutex", 1_000_000) { n in
          let array = LockedArray(0..<size)
          return try await rounds(n, append: array.append, removeLast: array.removeLast)
        },
        .baseline(byHand, 1_000_000) { n in
          let (array, cell) = (LockedArray(0..<size), BindableActor(-1))
          return try await rounds(n) { i in
            array.append(i)
            cell.send(i)
          } removeLast: {
            array.removeLast()
          }
        },
      ]
    )
  }

  private static let flat = Workload(
    "W18.flat",
    "Appending to an array, no readers: does the time grow with its length?",
    per: "append",
    comparedTo: "to 100",
    [
      .ours("to 100", 500_000) { n in try await append(n, to: 100) },
      .ours("to 10,000", 500_000, .times(1.1, of: "to 100")) { n in try await append(n, to: 10_000) },
      .ours("to 100,000", 500_000, .times(1.1, of: "to 100")) { n in try await append(n, to: 100_000) },
    ]
  )

  private static func append(_ n: Int, to size: Int) async throws -> Sample {
    let board = BindableArray(0..<size)
    let sample = try await rounds(n, append: board.append, removeLast: { removeLast(of: board) })
    try expect(Int(board.version), equals: 2 * n, "versions")
    return sample
  }

  static func removeLast(of board: BindableArray<Int>) -> Int {
    board.remove(at: board.count - 1)
  }

  // Appends a hundred elements, and removes them again. Times only the appends, and not the removals or what readers do
  // before and after.
  @inline(__always)
  static func rounds(
    _ n: Int,
    append: (Int) -> Void,
    removeLast: () -> Int,
    looking look: () async -> Void = {}
  ) async throws -> Sample {
    var total = Duration.zero
    var sum = 0
    for begin in stride(from: 0, to: n, by: 100) {
      let new = begin..<min(begin + 100, n)
      total += timed { for i in new { append(i) } }.duration
      await look()
      for _ in new { sum += removeLast() }
      await look()
    }
    try expect(sum, equals: n * (n - 1) / 2, "the sum of what was appended")
    return Sample(duration: total)
  }

  // MARK: In the middle

  private static func inserting(_ size: Int) -> Workload {
    let middle = size / 2
    return Workload(
      "W18.insert",
      "Inserting in the middle of an array of \(grouped(size)) and removing again, no readers",
      per: "edit",
      fan: 2,
      comparedTo: byHand,
      [
        .ours("insert, remove", 100_000) { n in
          let board = BindableArray(0..<size)
          var sum = 0
          let sample = timed {
            for i in 0..<n {
              board.insert(i, at: middle)
              sum += board.remove(at: middle)
            }
          }
          try expect(sum, equals: n * (n - 1) / 2, "the sum of what was removed")
          return sample
        },
        .baseline(byHand, 5_000) { n in
          let (array, cell) = (LockedArray(0..<size), BindableActor(-1))
          var sum = 0
          let sample = timed {
            for i in 0..<n {
              array.insert(i, at: middle)
              cell.send(i)
              sum += array.remove(at: middle)
              cell.send(i)
            }
          }
          try expect(sum, equals: n * (n - 1) / 2, "the sum of what was removed")
          return sample
        },
      ]
    )
  }

  // MARK: Whole arrays

  // Both subjects find out what differs. The arrays are sent in turn.
  private static func sending(_ size: Int, differing differences: Int) -> Workload {
    var arrays = [Array(0..<size), Array(0..<size)]
    for index in 0..<differences { arrays[1][(2 * index + 1) * size / (2 * differences)] = -1 }
    let versions = arrays
    return Workload(
      "W18.send.\(size).\(differences)",
      "Sending an array of \(grouped(size)), of which \(differences) differ\(differences == 1 ? "s" : "")",
      per: "send",
      comparedTo: "CollectionDifference",
      [
        .ours("send", 300, .times(1.5, of: "CollectionDifference")) { n in
          let board = BindableArray(versions[0])
          let first = board.value
          let sample = timed {
            for i in 1...n { board.send(versions[i & 1]) }
          }
          let edits = board.value.edits(from: first)
          try expect(
            board.value.elementsEqual(versions[n & 1]),
            "the array is not the one that was sent last"
          )
          try expect(edits.count <= 2 * differences, "\(edits.count) edits of \(differences)")
          return sample
        },
        .baseline("CollectionDifference", 100) { n in
          let array = LockedArray(versions[0])
          var count = 0
          let sample = timed {
            for i in 1...n {
              let new = versions[i & 1]
              count += new.difference(from: array.store(new)).count
            }
          }
          try expect(count, equals: 2 * differences * n, "removals and insertions")
          return sample
        },
      ]
    )
  }

  private static func reading(_ size: Int) -> Workload {
    Workload(
      "W18.read",
      "Going through an array of \(grouped(size))",
      per: "element",
      fan: size,
      comparedTo: "array under a Mutex",
      [
        .ours("value", 50) { n in
          let board = BindableArray(0..<size)
          return try sum(n, size) {
            var sum = 0
            for element in board.value { sum += element }
            return sum
          }
        },
        .ours("Array of value", 50) { n in
          let board = BindableArray(0..<size)
          return try sum(n, size) { Array(board.value).reduce(0, +) }
        },
        .baseline("array under a Mutex", 500) { n in
          let array = LockedArray(0..<size)
          return try sum(n, size) { array.value.reduce(0, +) }
        },
      ]
    )
  }

  @inline(__always)
  private static func sum(_ n: Int, _ size: Int, _ sum: () -> Int) throws -> Sample {
    var total = 0
    let sample = timed {
      for _ in 0..<n { total += sum() }
    }
    try expect(total, equals: n * (size * (size - 1) / 2), "the sum of the elements")
    return sample
  }
}
