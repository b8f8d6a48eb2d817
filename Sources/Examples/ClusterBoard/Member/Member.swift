import ActorBindings
import ActorBindingsSharing
import Foundation
import WebServer

/// What the processes share: one value.
struct Shared: Codable, Sendable, Equatable {
  /// The presses of all buttons "write".
  var count = 0
  /// The seconds that all leaders together have counted.
  var seconds = 0
  var leader = ""
  /// When the value was written, in seconds since 1970.
  var written = 0.0
}

/// Runs one process of the cluster, until its task is cancelled.
///
/// The process follows the shared value, is present while it runs, and leads while no other process does.
func runMember(named name: String, over store: CuttableStore) async throws {
  let shared = SharedCell("board/value", in: store, initially: Shared())
  let present = SharedDictionary<String, Double>("present/", in: store)
  let leads = BindableActor(false)

  try await withThrowingDiscardingTaskGroup { group in
    group.addTask { try await shared.run() }
    group.addTask { try await present.run() }
    group.addTask { try await stayPresent(name, in: present) }
    group.addTask { try await lead(name, shared, store, leads) }
    group.addTask {
      let statuses = combineLatest(shared, shared.link, present, leads)
      for await (value, link, names, leads) in statuses.values {
        let status = Status(value: value, link: link, present: names.keys.sorted(), leads: leads)
        System.say(try status.line())
      }
    }
    for await command in commands() {
      switch command {
      case "write":
        // A write waits for the store. So that the next command need not wait, each write is a task of its own.
        group.addTask {
          try? await shared.modify { value in
            value.count += 1
            value.written = Date.now.timeIntervalSince1970
          }
        }
      case "cut": store.cut()
      case "heal": store.heal()
      default: break
      }
    }
    group.cancelAll()
  }
}

/// Keeps an entry of this process in the store. After trouble, it enters again.
private func stayPresent(_ name: String, in present: SharedDictionary<String, Double>) async throws {
  while !Task.isCancelled {
    try? await present.withPresence(Date.now.timeIntervalSince1970, for: name, ttl: .seconds(3)) {
      await untilCancelled()
    }
    try await Task.sleep(for: .milliseconds(300))
  }
}

/// Leads while no other process does: the leader counts the seconds.
private func lead(
  _ name: String,
  _ shared: SharedCell<Shared>,
  _ store: CuttableStore,
  _ leads: BindableActor<Bool>
) async throws {
  while !Task.isCancelled {
    try? await store.withLeadership(of: "clock", ttl: .seconds(3)) { _ in
      leads.send(true)
      defer { leads.send(false) }
      while !Task.isCancelled {
        try await shared.modify { value in
          value.seconds += 1
          value.leader = name
          value.written = Date.now.timeIntervalSince1970
        }
        try await Task.sleep(for: .seconds(1))
      }
    }
    try await Task.sleep(for: .milliseconds(300))
  }
}

/// Returns when the task is cancelled.
private func untilCancelled() async {
  _ = await BindableActor(false).first { $0 }
}

/// The lines of the standard input. The stream ends with it: so a process ends when the one that started it has ended.
private func commands() -> AsyncStream<String> {
  let (lines, writer) = AsyncStream.makeStream(of: String.self)
  Thread.detachNewThread {
    while let line = readLine() { writer.yield(line) }
    writer.finish()
  }
  return lines
}
