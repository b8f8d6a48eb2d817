import ActorBindings
import Reporting

// Appending to an array with a reader.
extension Listing {
  // MARK: The writer's part

  static func followed(_ size: Int) -> Workload {
    Workload(
      "W18.followed.\(size)",
      "Appending to an array of \(grouped(size)) whose reader takes what changed after each hundredth, without the reader's part",
      per: "append",
      comparedTo: byHand,
      [
        .ours("append", 500_000, .times(2, of: byHand)) { n in
          let (board, context, rows) = (BindableArray(0..<size), PumpedContext(), Rows())
          let token = board.changes.observe(on: context.context) { rows.elements.apply($0) }
          context.run()
          let sample = try await rounds(n) {
            board.append($0)
          } removeLast: {
            removeLast(of: board)
          } looking: {
            context.run()
          }
          try rows.expectFirst(size)
          token.cancel()
          return sample
        },
        .baseline("array and a log under a Mutex", 1_000_000) { n in
          let (context, rows) = (PumpedContext(), Rows(0..<size))
          let array = LoggedArray(0..<size, context.schedule, rows.apply)
          let sample = try await rounds(n, append: array.append, removeLast: array.removeLast) {
            context.run()
          }
          try rows.expectFirst(size)
          return sample
        },
        // The reader learns only that the array has changed, and not what has changed.
        .baseline(byHand, 1_000_000) { n in
          let (array, cell) = (LockedArray(0..<size), BindableActor(-1))
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          let token = cell.observe(on: context.context, tally.handler)
          context.run()
          let sample = try await rounds(n) { i in
            array.append(i)
            cell.send(i)
          } removeLast: {
            array.removeLast()
          } looking: {
            context.run()
          }
          try expect(tally.count, equals: (n + 99) / 100, "values delivered")
          token.cancel()
          return sample
        },
        .baseline("arrays through an AsyncStream", size < 1000 ? 50_000 : 200) { n in
          let array = StreamedArray(0..<size)
          var (arrays, rows) = (array.stream.makeAsyncIterator(), [Int]())
          let sample = try await rounds(n, append: array.append, removeLast: array.removeLast) {
            rows = await arrays.next() ?? []
          }
          try expect(rows.count, equals: size, "elements that the reader has")
          return sample
        },
      ]
    )
  }

  static func waking(_ size: Int) -> Workload {
    Workload(
      "W18.waking.\(size)",
      "Appending to an array of \(grouped(size)) whose reader has read everything and parked, without the reader's part",
      per: "append",
      comparedTo: byHand,
      [
        .ours("append", 20_000, .times(2, of: byHand)) { n in
          let (all, context, tally) = (PersistentArray(0..<size), PumpedContext(), Tally(until: -2))
          return try wake(n, context) {
            let board = BindableArray<Int>()
            board.send(all)
            return (board, board.changes.observe(on: context.context) { tally.receive($0.value.count) })
          } append: {
            $0.0.append($1)
          } removeLast: {
            removeLast(of: $0.0)
          }
        },
        .baseline("array and a log under a Mutex", 100_000) { n in
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          return try wake(n, context) {
            LoggedArray(0..<size, context.schedule) { tally.receive($0.count) }
          } append: {
            $0.append($1)
          } removeLast: {
            $0.removeLast()
          }
        },
        .baseline(byHand, 50_000) { n in
          let (context, tally) = (PumpedContext(), Tally(until: -2))
          return try wake(n, context) {
            let cell = BindableActor(-1)
            return (LockedArray(0..<size), cell, cell.observe(on: context.context, tally.handler))
          } append: {
            $0.0.append($1)
            $0.1.send($1)
          } removeLast: {
            $0.1.send(-1)
            return $0.0.removeLast()
          }
        },
      ]
    )
  }

  // Uses many arrays, each with a reader, so that each append finds a parked reader.
  @inline(__always)
  private static func wake<Board>(
    _ n: Int,
    _ context: PumpedContext,
    _ board: () -> Board,
    append: (Board, Int) -> Void,
    removeLast: (Board) -> Int
  ) throws -> Sample {
    let boards = (0..<100).map { _ in board() }
    context.run()
    let rounds = max(1, n / boards.count)
    var total = Duration.zero
    var sum = 0
    for round in 0..<rounds {
      total += timed { for board in boards { append(board, round) } }.duration
      context.run()
      for board in boards { sum += removeLast(board) }
      context.run()
    }
    try expect(sum, equals: rounds * (rounds - 1) / 2 * boards.count, "the sum of what was appended")
    return Sample(duration: total * n / (rounds * boards.count))
  }

  // MARK: With the reader's part

  static func handedOver(_ size: Int) -> Workload {
    Workload(
      "W18.each",
      "Single edits at the end of an array of \(grouped(size)), each until its reader has the array",
      per: "edit",
      comparedTo: "array and a log under a Mutex",
      [
        .ours("changes", 50_000) { n in
          let (board, context, rows) = (BindableArray(0..<size), PumpedContext(), Rows())
          let token = board.changes.observe(on: context.context) { rows.elements.apply($0) }
          context.run()
          let sample = await editEach(n) {
            board.append($0)
          } removeLast: {
            _ = removeLast(of: board)
          } looking: {
            context.run()
          }
          try rows.expectFirst(size)
          token.cancel()
          return sample
        },
        .baseline("array and a log under a Mutex", 200_000) { n in
          let (context, rows) = (PumpedContext(), Rows(0..<size))
          let array = LoggedArray(0..<size, context.schedule, rows.apply)
          let sample = await editEach(n, append: array.append, removeLast: { _ = array.removeLast() }) {
            context.run()
          }
          try rows.expectFirst(size)
          return sample
        },
        .baseline("arrays through an AsyncStream", 500) { n in
          let array = StreamedArray(0..<size)
          var (arrays, rows) = (array.stream.makeAsyncIterator(), [Int]())
          let sample = await editEach(n, append: array.append, removeLast: { _ = array.removeLast() }) {
            rows = await arrays.next() ?? []
          }
          try expect(rows.count, equals: size, "elements that the reader has")
          return sample
        },
      ]
    )
  }

  static func told(_ size: Int) -> Workload {
    Workload(
      "W18.told.\(size)",
      "Single edits of an array of \(grouped(size)): a reader is called with each edit where the writer is",
      per: "edit",
      comparedTo: "array and a log under a Mutex",
      [
        .ours("changes", 50_000) { n in
          let (board, tally) = (BindableArray(0..<size), Tally(until: -2))
          let here = DeliveryContext(id: size) { $0() }
          let token = board.changes.observe(on: here) { tally.receive($0.edits?.count ?? 0) }
          // Between its first element and its last: an append and a removal at the end are cheaper.
          let sample = timed {
            for i in 0..<n / 2 {
              board.insert(i, at: i &* 61_803 % size)
              board.remove(at: i &* 61_803 % size)
            }
          }
          try expect(tally.sum, equals: n / 2 * 2, "edits")
          try expect(board.value.elementsEqual(0..<size) ? 1 : 0, equals: 1, "the array")
          token.cancel()
          return sample
        },
        .ours("update", 50_000) { n in
          let (board, tally) = (BindableArray(0..<size), Tally(until: -2))
          let here = DeliveryContext(id: size) { $0() }
          let token = board.changes.observe(on: here) { tally.receive($0.edits?.count ?? 0) }
          let sample = timed {
            for i in 0..<n { board.update(i, at: i &* 61_803 % size) }
          }
          try expect(tally.sum, equals: n, "edits")
          token.cancel()
          return sample
        },
        .baseline("array and a log under a Mutex", 200_000) { n in
          let tally = Tally(until: -2)
          let array = LoggedArray(0..<size, { $0() }) { tally.receive($0.count) }
          let sample = timed {
            for i in 0..<n / 2 {
              array.append(i)
              _ = array.removeLast()
            }
          }
          try expect(tally.sum, equals: n / 2 * 2, "edits")
          return sample
        },
      ]
    )
  }

  // Appends and removes in turn. If the number of edits is odd, the last edit is left out.
  @inline(__always)
  private static func editEach(
    _ n: Int,
    append: (Int) -> Void,
    removeLast: () -> Void,
    looking look: () async -> Void
  ) async -> Sample {
    let stopwatch = Stopwatch()
    for begin in stride(from: 0, to: n / 2, by: 100) {
      let new = begin..<min(begin + 100, n / 2)
      for i in new {
        append(i)
        await look()
      }
      for _ in new {
        removeLast()
        await look()
      }
    }
    return stopwatch.sample
  }
}

/// A reader that applies the changes that it receives.
// @unchecked: used by one thread.
private final class Rows: @unchecked Sendable {
  @exclusivity(unchecked) var elements: [Int]

  init(_ elements: some Sequence<Int> = []) {
    self.elements = Array(elements)
  }

  func apply(_ edits: [LoggedArray.Edit]) {
    for edit in edits {
      switch edit {
      case .insert(let element, let index): elements.insert(element, at: index)
      case .remove(let index): elements.remove(at: index)
      }
    }
  }

  /// Checks that the last value of the reader is 0 to `size - 1`.
  func expectFirst(_ size: Int) throws {
    try expect(elements.elementsEqual(0..<size), "the reader has other elements than the array")
  }
}
