import ActorBindings
import ActorBindingsSharing

extension StoreContract {
  /// Checks of `changes`.
  static let following: [Check] = [
    Check("a subscription to a prefix yields the changes after its revision, in order, and ends on the last")
    { run in
      let start = try await run.load(run.scope).revision
      let found = try await run.changes(in: run.scope, after: start) {
        for number in 0..<20 { try await run.put("\(number % 4)", [UInt8(number)]) }
      } until: {
        $0.last?.key == run.key("3") && $0.last?.bytes == [19]
      }
      try run.requireOrder(found)
      for name in 0..<4 {
        let last = found.last { $0.key == run.key("\(name)") }
        try run.require(last?.bytes, is: [UInt8(16 + name)], "the last value of key \(name)")
      }
    },
    Check("a subscription to a key yields its changes only") { run in
      let start = try await run.load(.key(run.key("a"))).revision
      let found = try await run.changes(in: .key(run.key("a")), after: start) {
        for name in ["b", "ab", "a/b"] { try await run.put(name, [1]) }
        try await run.put("a", [2])
      } until: {
        !$0.isEmpty
      }
      try run.require(Set(found.map(\.key)), is: [run.key("a")], "the set of changed keys")
      try run.require(found.last?.bytes, is: [2], "the value")
    },
    Check("a subscription to a prefix yields no changes of other prefixes") { run in
      let scope = StoreScope.prefix(run.key("in/"))
      let start = try await run.load(scope).revision
      let found = try await run.changes(in: scope, after: start) {
        for name in ["in", "inn/a", "a"] { try await run.put(name, [1]) }
        try await run.put("in/deep/a", [2])
      } until: {
        !$0.isEmpty
      }
      try run.require(found.map(\.key), is: [run.key("in/deep/a")], "the list of changed keys")
    },
    Check("what was written between the load and the subscription is not missed") { run in
      try await run.put("a", [1])
      let start = try await run.load(run.scope).revision
      let second = try await run.put("a", [2])
      try await run.put("b", [3])
      let found = try await run.changes(in: run.scope, after: start) {
        $0.contains { $0.key == run.key("b") }
      }
      try run.requireOrder(found)
      let entry = StoreEntry(key: run.key("a"), bytes: [2], revision: second)
      try run.require(found.first, is: .written(entry), "the first change")
    },
    Check("what the load has returned is not yielded again") { run in
      try await run.put("a", [1])
      let start = try await run.load(run.scope).revision
      let found = try await run.changes(in: run.scope, after: start) {
        try await run.put("b", [2])
      } until: {
        !$0.isEmpty
      }
      try run.require(found.map(\.key), is: [run.key("b")], "the list of changed keys")
    },
    Check("a removal is a change") { run in
      try await run.put("a", [1])
      let start = try await run.load(run.scope).revision
      let found = try await run.changes(in: run.scope, after: start) {
        try await run.put("a", nil)
      } until: {
        !$0.isEmpty
      }
      guard case .removed(let key, let revision) = found[0] else {
        throw run.failure("\(found) has no removal")
      }
      try run.require(key, is: run.key("a"), "the key")
      try run.require(revision > start, "the revision of the removal is not after the load")
    },
    Check("many subscriptions are open at once, and do not delay other calls") { run in
      let start = try await run.load(run.scope).revision
      try await withThrowingTaskGroup(of: [StoreChange].self) { group in
        let opened = BindableActor(0)
        for _ in 0..<20 {
          group.addTask {
            try await run.changes(in: run.scope, after: start) {
              opened.modify { $0 += 1 }
            } until: {
              !$0.isEmpty
            }
          }
        }
        _ = try await run.soon("opening 20 subscriptions") { await opened.first { $0 == 20 } }
        try await run.put("a", [1])
        for try await found in group { try run.require(found.last?.bytes, is: [1], "the value") }
      }
    },
    Check("cancelling the task that iterates a subscription ends it promptly") { run in
      let start = try await run.load(run.scope).revision
      let changes = try await run.store.changes(in: run.scope, after: start)
      let task = Task { try await ContractRun.drain(changes) }
      task.cancel()
      try await run.soon("the cancelled iteration") { _ = await task.result }
    },
  ]
}

extension StoreChange {
  fileprivate var bytes: [UInt8]? {
    if case .written(let entry) = self { entry.bytes } else { nil }
  }
}

extension ContractRun {
  /// Throws the failure unless the revisions grow.
  fileprivate func requireOrder(_ changes: [StoreChange]) throws {
    for (earlier, later) in zip(changes, changes.dropFirst()) where earlier.revision >= later.revision {
      throw failure("the change \(later) came after \(earlier)")
    }
  }

  fileprivate static func drain(_ changes: some AsyncSequence<[StoreChange], any Error>) async throws {
    for try await _ in changes {}
  }
}
