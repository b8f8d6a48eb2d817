import ActorBindings
import Dispatch
import Synchronization

/// W9: the current value.
enum Reading {
  static let workloads = [alone, besideWriter, structAlone]

  private static let alone = Workload(
    "W9.alone",
    "Reading an Int, one thread",
    per: "read",
    comparedTo: "Mutex",
    [
      .ours("value", 4_000_000, .times(1.5, of: "Mutex")) { n in
        let cell = BindableActor(1)
        var sum = 0
        let sample = timed {
          for _ in 0..<n { sum &+= cell.value }
        }
        try expect(sum, equals: n, "the sum of the values")
        return sample
      },
      .baseline("Mutex", 4_000_000) { n in
        let cell = LockedInt()
        cell.store(1)
        var sum = 0
        let sample = timed {
          for _ in 0..<n { sum &+= cell.value }
        }
        try expect(sum, equals: n, "the sum of the values")
        return sample
      },
      .baseline("actor call", 500_000) { n in
        let cell = PlainActor()
        await cell.store(1)
        var sum = 0
        let stopwatch = Stopwatch()
        for _ in 0..<n { sum &+= await cell.value }
        let sample = stopwatch.sample
        try expect(sum, equals: n, "the sum of the values")
        return sample
      },
    ]
  )

  private static let structAlone = Workload(
    "W9.struct",
    "Reading a struct of strings and arrays, one thread",
    per: "read",
    comparedTo: "Mutex",
    [
      .ours("value", 2_000_000, .times(1.5, of: "Mutex")) { n in
        let cell = BindableActor(Settings(revision: 1))
        var sum = 0
        let sample = timed {
          for _ in 0..<n { sum &+= revision(of: cell.value) }
        }
        try expect(sum, equals: n, "the sum of the revisions")
        return sample
      },
      .baseline("Mutex", 2_000_000) { n in
        let cell = LockedSettings()
        cell.store(Settings(revision: 1))
        var sum = 0
        let sample = timed {
          for _ in 0..<n { sum &+= revision(of: cell.value) }
        }
        try expect(sum, equals: n, "the sum of the revisions")
        return sample
      },
    ]
  )

  // Uses the whole struct, so that all of it is copied.
  @inline(never)
  private static func revision(of settings: Settings) -> Int {
    settings.names.isEmpty || settings.host.isEmpty ? 0 : settings.revision
  }

  private static let besideWriter = Workload(
    "W9.writer",
    "Reading an Int, two threads, while a third writes",
    per: "read",
    comparedTo: "Mutex",
    [
      .ours("value", 1_000_000, .times(1.5, of: "Mutex")) { n in
        let cell = BindableActor(0)
        return try besideWriter(n) {
          cell.value
        } writing: {
          cell.send($0)
        }
      },
      .baseline("Mutex", 1_000_000) { n in
        let cell = LockedInt()
        return try besideWriter(n) {
          cell.value
        } writing: {
          cell.store($0)
        }
      },
    ]
  )

  // Uses separate threads, because the pool has only one thread for each core.
  @inline(__always)
  private static func besideWriter(
    _ n: Int,
    reading read: @escaping @Sendable () -> Int,
    writing write: @escaping @Sendable (Int) -> Void
  ) throws -> Sample {
    let isOver = Atomic(false)
    let faults = Atomic(0)
    let readers = 2
    let threads = Threads(readers + 1) { index in
      if index == readers {
        var i = 0
        while !isOver.load(ordering: .relaxed) {
          write(i)
          i += 1
        }
      } else {
        var last = 0
        for _ in 0..<(n / readers) {
          let value = read()
          if value < last { faults.add(1, ordering: .relaxed) }
          last = value
        }
      }
    }
    let sample = timed {
      threads.begin()
      threads.join(first: readers)
    }
    isOver.store(true, ordering: .relaxed)
    threads.join()
    try expect(faults.load(ordering: .relaxed), equals: 0, "values that came before an older one")
    return sample
  }
}
