import ActorBindings
import Dispatch
import Foundation

/// Runs one cell with four writers, a thousand loops and a few observers for a second or two. Then checks what each
/// reader received.
///
/// Begin with this file. `Loops` and `Observers` show how a cell is followed, and `Account` shows what is checked.
@main
@MainActor
struct Tour {
  static func main() async {
    let table = await Tour().run()
    print(table, meaning, separator: "\n\n")
    if table.isSound { return print("\n" + next) }
    print("\nA promise does not hold. This is a fault of the library: please report it, with this table.")
    exit(EXIT_FAILURE)
  }

  nonisolated static let writers = 4
  nonisolated static let writes = 5_000
  nonisolated static let total = writers * writes

  /// The cell. This program needs neither a lock nor a task for the cell.
  let settings = BindableActor(Settings())
  let queue = DispatchQueue(label: "tour.log")
  let bag = DisposeBag()

  func run() async -> Table {
    var table = Table()
    let clock = ContinuousClock()

    // A thousand independent loops, with three kinds of backlog.
    let loops = [
      Loops(980, over: settings, backlog: .latest),
      Loops(10, over: settings, backlog: .bounded(64)),
      Loops(10, over: settings, backlog: .unbounded),
    ]
    for group in loops { await group.haveBegun() }

    // An observer on a queue, an observer on an actor, and an observer and a bound label here on the main actor.
    let journal = Journal()
    settings.versioned().observe(on: .queue(queue)) { journal.record($0) }.store(in: bag)
    let auditor = Auditor()
    settings.versioned().observe(with: auditor) { auditor, update in auditor.record(update) }
    let panel = Panel(settings)

    // Another observer, whose owner dies before the end.
    let diary = Journal()
    var session: Session? = Session(diary)
    session?.follow(settings, on: .queue(queue))

    say("One cell, followed by \(grouped(settings.observerCount)) loops and observers.")

    let progress = Task { await showProgress(of: settings, to: Self.total) }
    let begin = clock.now
    let writing = Task { await write() }

    for await revision in settings.map(\.revision).values where revision >= Self.total / 2 { break }
    let observersBefore = settings.observerCount
    session = nil
    say("Half-way, a session is released. It never unsubscribed.")

    await writing.value
    await settings.settled()  // Every observer, on any context, has handled everything.
    let duration = clock.now - begin
    let observersAfter = settings.observerCount

    settings.finish()
    settings.send(Settings(revision: -1))  // After the end: no reader receives it.
    for group in loops { await group.haveEnded() }
    await progress.value

    say("\(Self.writers) writers sent \(grouped(settings.version)) updates in \(rounded(duration)) s.\n")

    table.add(sent: settings, expected: Self.total)
    for group in loops { table.add(group, upTo: settings.version) }
    table.add("on a queue", journal.account, upTo: settings.version)
    table.add("on an actor", await auditor.account, upTo: settings.version)
    table.add("on the main actor", panel.account, upTo: settings.version)
    table.add(label: panel.label.text, expected: "revision \(settings.value.revision)")
    table.add(dead: diary, observersBefore: observersBefore, observersAfter: observersAfter)
    return table
  }

  /// Runs four writers at once. A write is a plain call: it neither waits for a reader nor hops.
  private func write() async {
    await withTaskGroup(of: Void.self) { group in
      for writer in 1...Self.writers {
        group.addTask { [settings] in
          for write in 1...Self.writes {
            settings.modify { settings in
              settings.revision += 1
              settings.lastWriter = writer
            }
            if write.isMultiple(of: 20) { await Task.yield() }
          }
        }
      }
    }
  }
}
