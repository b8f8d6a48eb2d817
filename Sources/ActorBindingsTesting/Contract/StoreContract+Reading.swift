import ActorBindingsSharing

extension StoreContract {
  /// Checks of `load`.
  static let reading: [Check] = [
    Check("a scope without entries loads as empty") { run in
      try run.require(try await run.load(run.scope).entries, is: [], "the load of the prefix")
      try run.require(try await run.load(.key(run.key("a"))).entries, is: [], "the load of the key")
    },
    Check("a load returns what was written, at the revision of the write") { run in
      let revision = try await run.put("a", [1, 2, 3])
      let entry = StoreEntry(key: run.key("a"), bytes: [1, 2, 3], revision: revision)
      try run.require(try await run.entry("a"), is: entry, "the entry")
      let snapshot = try await run.load(run.scope)
      try run.require(snapshot.entries, is: [entry], "the load of the prefix")
      try run.require(snapshot.revision >= revision, "the snapshot is older than the write that it contains")
    },
    Check("each write has a greater revision, also if it writes equal bytes") { run in
      let first = try await run.put("a", [1])
      let second = try await run.put("a", [1])
      let third = try await run.put("b", [1])
      try run.require(first < second && second < third, "the revisions are \(first), \(second) and \(third)")
      try run.require(try await run.entry("a")?.revision, is: second, "the revision of the entry")
    },
    Check("the load of a prefix returns all its entries, and no others") { run in
      let names = (0..<50).map { "in/\($0)" } + ["in/deep/a", "in/deep/deeper/b"]
      for name in names + ["in", "inn/a", "im/a", "z"] { try await run.put(name, [7]) }
      let found = try await run.load(.prefix(run.key("in/"))).entries.map(\.key)
      try run.require(Set(found), is: Set(names.map(run.key)), "the set of keys")
      try run.require(found.count, is: names.count, "the number of entries")
    },
    Check("the load of a key returns no longer keys that begin with it") { run in
      try await run.put("a/b", [1])
      try await run.put("ab", [1])
      try run.require(try await run.entry("a"), is: nil, "the entry")
    },
    Check("a load sees each write that was acknowledged before it") { run in
      for number in 0..<100 {
        let revision = try await run.put("a", [UInt8(number)])
        try run.require(
          try await run.entry("a")?.revision,
          is: revision,
          "the revision after write \(number)"
        )
      }
    },
    Check("bytes come back as they were written") { run in
      let large = (0..<min(100_000, run.store.limits.bytesPerEntry)).map {
        UInt8(truncatingIfNeeded: $0 &* 31)
      }
      for bytes in [[], [0], Array(UInt8.min...UInt8.max), Array("@a,b\n{}\r\n\"\\".utf8), large] {
        try await run.put("a", bytes)
        try run.require(try await run.entry("a")?.bytes == bytes, "\(bytes.count) bytes came back changed")
      }
    },
    Check("keys whose bytes differ only by Unicode normalization are two keys") { run in
      try await run.put("\u{e9}", [1])
      try await run.put("e\u{301}", [2])
      try run.require(try await run.load(run.scope).entries.count, is: 2, "the number of entries")
      try run.require(try await run.entry("\u{e9}")?.bytes, is: [1], "the value of the composed key")
      try run.require(try await run.entry("e\u{301}")?.bytes, is: [2], "the value of the other key")
      try await run.put("\u{e9}", nil)
      try run.require(try await run.entry("e\u{301}")?.bytes, is: [2], "the value that is left")
    },
    Check("each key that is allowed works") { run in
      let names = [
        "a b", "%2F", "a%", "?q=1&b", "#", "käse", "日本", "🙂", "á", ".a", "a.", "...", "~", "\\", "\"", "'",
        "*", "A", "a", "+", "=", ":", "\u{7f}", "\n", "a@b", "-", "_", String(repeating: "k", count: 200),
      ]
      for (number, name) in names.enumerated() { try await run.put(name, [UInt8(number)]) }
      let found = try await run.load(run.scope).entries
      try run.require(found.count, is: names.count, "the number of entries")
      for (number, name) in names.enumerated() {
        try run.require(
          try await run.entry(name)?.bytes,
          is: [UInt8(number)],
          "the value of \(name.debugDescription)"
        )
      }
    },
  ]
}
