import ActorBindings

/// W1: writing without readers.
enum Writing {
  static let workloads = [pool, mainThread, structs]

  private static let pool = Workload(
    "W1.int.pool",
    "Writing an Int, no readers, from the pool",
    per: "write",
    comparedTo: "Mutex store",
    [
      .ours("send", 4_000_000, .times(2, of: "Mutex store"), send),
      .ours("modify", 2_000_000, .times(3, of: "Mutex store"), modify),
      .ours("update", 500_000, .times(1.5, of: "actor call")) { n in try await update(n) },
      .baseline("Mutex store", 4_000_000, lockedStore),
      .baseline("Mutex modify", 4_000_000, lockedModify),
      .baseline("actor call", 500_000) { n in try await actorCall(n) },
    ]
  )

  private static let mainThread = Workload(
    "W1.int.main",
    "Writing an Int, no readers, from the main thread",
    per: "write",
    comparedTo: "Mutex store",
    [
      .ours("send", 4_000_000, .times(2, of: "Mutex store")) { @MainActor n in try send(n) },
      .ours("modify", 2_000_000, .times(3, of: "Mutex store")) { @MainActor n in try modify(n) },
      .ours("update", 3_000) { @MainActor n in
        let cell = BindableActor(0)
        let stopwatch = Stopwatch()
        for i in 0..<n { await cell.update(i) }
        let sample = stopwatch.sample
        try expect(cell.value, equals: n - 1, "the last value")
        return sample
      },
      .baseline("Mutex store", 4_000_000) { @MainActor n in try lockedStore(n) },
      .baseline("Mutex modify", 4_000_000) { @MainActor n in try lockedModify(n) },
      .baseline("actor call", 3_000) { @MainActor n in
        let cell = PlainActor()
        let stopwatch = Stopwatch()
        for i in 0..<n { await cell.store(i) }
        let sample = stopwatch.sample
        try expect(await cell.value, equals: n - 1, "the last value")
        return sample
      },
    ]
  )

  private static let structs = Workload(
    "W1.struct",
    "Writing a struct of strings and arrays, no readers, from the pool",
    per: "write",
    comparedTo: "Mutex store",
    [
      .ours("send", 1_000_000, .times(2, of: "Mutex store")) { n in
        let cell = BindableActor(Settings())
        let choice = [Settings(), Settings(revision: 1)]
        let sample = timed {
          for i in 0..<n { cell.send(choice[i & 1]) }
        }
        try expect(Int(cell.version), equals: n, "version")
        try expect(cell.value == choice[(n - 1) & 1], "the last value is not the one that was sent last")
        return sample
      },
      .ours("modify", 1_000_000, .times(3, of: "Mutex store")) { n in
        let cell = BindableActor(Settings())
        let sample = timed {
          for _ in 0..<n { cell.modify { $0.revision += 1 } }
        }
        try expect(cell.value.revision, equals: n, "revision")
        return sample
      },
      .ours("update", 500_000, .times(1.5, of: "actor call")) { n in
        let cell = BindableActor(Settings())
        let choice = [Settings(), Settings(revision: 1)]
        let stopwatch = Stopwatch()
        for i in 0..<n { await cell.update(choice[i & 1]) }
        let sample = stopwatch.sample
        try expect(Int(cell.version), equals: n, "version")
        return sample
      },
      .baseline("Mutex store", 1_000_000) { n in
        let cell = LockedSettings()
        let choice = [Settings(), Settings(revision: 1)]
        let sample = timed {
          for i in 0..<n { cell.store(choice[i & 1]) }
        }
        try expect(Int(cell.version), equals: n, "version")
        return sample
      },
      .baseline("Mutex modify", 1_000_000) { n in
        let cell = LockedSettings()
        let sample = timed {
          for _ in 0..<n { cell.modify { $0.revision += 1 } }
        }
        try expect(cell.value.revision, equals: n, "revision")
        return sample
      },
      .baseline("actor call", 500_000) { n in
        let cell = SettingsActor()
        let choice = [Settings(), Settings(revision: 1)]
        let stopwatch = Stopwatch()
        for i in 0..<n { await cell.store(choice[i & 1]) }
        let sample = stopwatch.sample
        try expect(Int(await cell.version), equals: n, "version")
        return sample
      },
    ]
  )

  @Sendable private static func send(_ n: Int) throws -> Sample {
    let cell = BindableActor(0)
    let sample = timed {
      for i in 0..<n { cell.send(i) }
    }
    try expect(cell.value, equals: n - 1, "the last value")
    try expect(Int(cell.version), equals: n, "version")
    return sample
  }

  @Sendable private static func modify(_ n: Int) throws -> Sample {
    let cell = BindableActor(0)
    let sample = timed {
      for _ in 0..<n { cell.modify { $0 += 1 } }
    }
    try expect(cell.value, equals: n, "the sum")
    return sample
  }

  private static func update(_ n: Int) async throws -> Sample {
    let cell = BindableActor(0)
    let stopwatch = Stopwatch()
    for i in 0..<n { await cell.update(i) }
    let sample = stopwatch.sample
    try expect(cell.value, equals: n - 1, "the last value")
    return sample
  }

  @Sendable private static func lockedStore(_ n: Int) throws -> Sample {
    let cell = LockedInt()
    let sample = timed {
      for i in 0..<n { cell.store(i) }
    }
    try expect(cell.value, equals: n - 1, "the last value")
    try expect(Int(cell.version), equals: n, "version")
    return sample
  }

  @Sendable private static func lockedModify(_ n: Int) throws -> Sample {
    let cell = LockedInt()
    let sample = timed {
      for _ in 0..<n { cell.modify { $0 += 1 } }
    }
    try expect(cell.value, equals: n, "the sum")
    return sample
  }

  private static func actorCall(_ n: Int) async throws -> Sample {
    let cell = PlainActor()
    let stopwatch = Stopwatch()
    for i in 0..<n { await cell.store(i) }
    let sample = stopwatch.sample
    try expect(await cell.value, equals: n - 1, "the last value")
    return sample
  }
}
