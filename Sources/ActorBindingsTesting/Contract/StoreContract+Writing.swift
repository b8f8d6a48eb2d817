import ActorBindingsSharing

extension StoreContract {
  /// Checks of `write`.
  static let writing: [Check] = [
    Check("a write that expects no entry is applied only if there is none") { run in
      let revision = try await run.put("a", [1], if: .absent)
      let entry = StoreEntry(key: run.key("a"), bytes: [1], revision: revision)
      try run.require(try await run.write("a", [2], if: .absent), is: .conflict(entry), "the result")
      try run.require(try await run.entry("a"), is: entry, "the entry after the conflict")
    },
    Check("a write that expects a revision is applied only to that revision") { run in
      let first = try await run.put("a", [1])
      let second = try await run.put("a", [2], if: .revision(first))
      let entry = StoreEntry(key: run.key("a"), bytes: [2], revision: second)
      try run.require(try await run.write("a", [3], if: .revision(first)), is: .conflict(entry), "the result")
      try run.require(try await run.write("a", nil, if: .revision(first)), is: .conflict(entry), "the result")
      try run.require(try await run.entry("a"), is: entry, "the entry after the conflicts")
    },
    Check("a write that expects a revision meets nil if there is no entry") { run in
      let revision = try await run.put("a", [1])
      try await run.put("a", nil)
      try run.require(
        try await run.write("a", [2], if: .revision(revision)),
        is: .conflict(nil),
        "the result"
      )
      try run.require(try await run.entry("a"), is: nil, "the entry after the conflict")
    },
    Check("a write that expects anything is always applied") { run in
      try await run.put("a", [1])
      try await run.put("a", [2])
      try run.require(try await run.entry("a")?.bytes, is: [2], "the bytes")
    },
    Check("a removed entry is gone, and may be written again") { run in
      let first = try await run.put("a", [1])
      try await run.put("a", nil, if: .revision(first))
      try run.require(try await run.load(run.scope).entries, is: [], "the load of the prefix")
      let second = try await run.put("a", [2], if: .absent)
      try run.require(first < second, "the revisions are \(first) and then \(second)")
    },
    Check("the removal of an entry that is not there is no error") { run in
      try await run.put("a", nil)
      try run.require(try await run.entry("a"), is: nil, "the entry")
    },
    Check("of writers that expect the same revision, one wins") { run in
      for round in 0..<10 {
        let base = try await run.put("a", [0])
        let applied = try await withThrowingTaskGroup(of: Bool.self) { group in
          for writer in 1...8 {
            group.addTask {
              if case .applied = try await run.write("a", [UInt8(writer)], if: .revision(base)) {
                true
              } else {
                false
              }
            }
          }
          return try await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
        try run.require(applied, is: 1, "the number of winners in round \(round)")
      }
    },
    Check("increments by compare-and-set lose none") { run in
      try await run.put("a", [0])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { for _ in 0..<15 { try await run.increment("a") } } }
        try await group.waitForAll()
      }
      try run.require(try await run.entry("a")?.bytes, is: [120], "the sum")
    },
    Check("a key that is not allowed, or too long, is refused, and the message names it") { run in
      let long = String(repeating: "k", count: run.store.limits.bytesPerKey + 1)
      for key in ["", "/a", "a/", "a//b", "a/../b", ".", "a/.", "a\0b", long] {
        let write = StoreWrite(key: key, bytes: [1], expected: .anything)
        try await run.refuses(
          "the write of \(key.debugDescription)",
          with: "refused",
          run.isRefusal(naming: key)
        ) {
          try await run.store.write(write)
        }
      }
    },
    Check("bytes over the limit are refused, and the message names the key") { run in
      let bytes = [UInt8](repeating: 7, count: run.store.limits.bytesPerEntry + 1)
      let key = run.key("a")
      try await run.refuses("the write", with: "refused", run.isRefusal(naming: key)) {
        try await run.write("a", bytes)
      }
      try run.require(try await run.entry("a"), is: nil, "the entry")
    },
    Check("a call of a cancelled task throws a CancellationError") { run in
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        _ = try await run.store.load(run.scope)
      }
      task.cancel()
      switch await task.result {
      case .failure(let error) where error is CancellationError: break
      case let result: throw run.failure("the load ended with \(result)")
      }
    },
  ]
}

extension ContractRun {
  /// Adds 1 to the first byte of an entry, by compare-and-set.
  fileprivate func increment(_ name: String) async throws {
    while true {
      guard let entry = try await entry(name) else { throw failure("the entry is gone") }
      if case .applied = try await write(name, [entry.bytes[0] + 1], if: .revision(entry.revision)) { return }
    }
  }

  /// Returns whether an error is a refusal whose message has the key and the name of the store.
  fileprivate func isRefusal(naming key: String) -> (StoreError) -> Bool {
    { [store] error in
      guard case .refused(let message) = error else { return false }
      return message.contains(key) && message.contains(store.name)
    }
  }
}
