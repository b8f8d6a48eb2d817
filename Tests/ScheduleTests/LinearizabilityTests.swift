#if EXPLORER
  import ActorBindings
  import Explorer
  import Foundation
  import Synchronization
  import Testing

  /// One operation on a cell of `Int`.
  enum Operation: Sendable {
    case read
    case version
    case isFinished
    case send(Int)
    case modify(Int)
    case compareAndSet(Int, Int)
    case sendIfChanged(Int)
    case finish

    static func random(using generator: inout SeededGenerator) -> Operation {
      let value = Int.random(in: 0...3, using: &generator)
      return switch Int.random(in: 0..<14, using: &generator) {
      case 0..<3: .read
      case 12: .version
      case 13: .isFinished
      case 3..<5: .send(value)
      case 5..<8: .modify(value + 1)
      case 8..<10: .compareAndSet(value, Int.random(in: 0...3, using: &generator))
      case 10: .sendIfChanged(value)
      default: .finish
      }
    }

    /// What it returns, as a number.
    func run(on cell: BindableActor<Int>) -> Int {
      switch self {
      case .read: return cell.value
      case .version: return Int(cell.version)
      case .isFinished: return cell.isFinished ? 1 : 0
      case .send(let value):
        cell.send(value)
        return 0
      case .modify(let summand):
        return cell.modify { value in
          defer { value = (value * 2 + summand) % 16 }
          return value
        }
      case .compareAndSet(let expected, let new): return cell.compareAndSet(expected, new) ? 1 : 0
      case .sendIfChanged(let value): return cell.sendIfChanged(value) ? 1 : 0
      case .finish:
        cell.finish()
        return 0
      }
    }

    /// The same, of a cell that one thread uses alone.
    func run(on model: inout Model) -> Int {
      switch self {
      case .read: return model.value
      case .version: return model.version
      case .isFinished: return model.isFinished ? 1 : 0
      case .send(let value):
        model.write(value)
        return 0
      case .modify(let summand):
        let old = model.value
        model.write((old * 2 + summand) % 16)
        return old
      case .compareAndSet(let expected, let new):
        guard !model.isFinished, model.value == expected else { return 0 }
        model.write(new)
        return 1
      case .sendIfChanged(let value):
        guard !model.isFinished, model.value != value else { return 0 }
        model.write(value)
        return 1
      case .finish:
        model.isFinished = true
        return 0
      }
    }
  }

  struct Model: Hashable {
    var value = 0
    var version = 0
    var isFinished = false

    mutating func write(_ new: Int) {
      if isFinished { return }
      value = new
      version += 1
    }
  }

  /// An operation that was run: when it was called, when it returned, and what.
  struct Event: Sendable {
    let operation: Operation
    let called: Int
    let returned: Int
    let result: Int
  }

  /// Whether the events can be put into one order that agrees with the times and with the model (Wing and Gong).
  func isLinearizable(_ events: [Event], to last: Int) -> Bool {
    var rejected = Set<Configuration>()
    func search(_ remaining: Set<Int>, _ model: Model) -> Bool {
      if remaining.isEmpty { return model.value == last }
      guard rejected.insert(Configuration(remaining: remaining, model: model)).inserted else { return false }
      let earliestReturn = remaining.map { events[$0].returned }.min() ?? 0
      for index in remaining where events[index].called < earliestReturn {
        var successor = model
        guard events[index].operation.run(on: &successor) == events[index].result else { continue }
        if search(remaining.subtracting([index]), successor) { return true }
      }
      return false
    }
    return search(Set(events.indices), Model())
  }

  private struct Configuration: Hashable {
    let remaining: Set<Int>
    let model: Model
  }

  extension Schedules {
    @Suite
    struct Linearizability {
      @Test
      func `G1 random programs have linearizable histories`() throws {
        let environment = ProcessInfo.processInfo.environment
        let programs = Int(environment["ACTORBINDINGS_PROGRAMS"] ?? "50") ?? 50
        for seed in 0..<UInt64(programs) {
          var generator = SeededGenerator(seed: seed)
          let program = (0..<3).map { _ in (0..<3).map { _ in Operation.random(using: &generator) } }
          let effort = Effort(depthFirst: 20, random: 60, priority: 20)
          try explore("linearizable program \(seed)", effort) { world in
            let cell = BindableActor(0)
            let clock = Ticks()
            let history = Log<Event>()
            let tasks = program.enumerated().map { index, operations in
              world.task("task \(index)") {
                for operation in operations {
                  let called = clock.next()
                  let result = operation.run(on: cell)
                  history.append(
                    Event(operation: operation, called: called, returned: clock.next(), result: result)
                  )
                }
              }
            }
            world.task("judge") {
              for task in tasks { await task.value }
              world.expect(
                isLinearizable(history.all, to: cell.value),
                "not linearizable, ended on \(cell.value): \(history.all)"
              )
            }
          }
        }
      }

      @Test
      func `the search rejects what is not linearizable`() {
        let lost = [
          Event(operation: .modify(1), called: 0, returned: 2, result: 0),
          Event(operation: .modify(1), called: 1, returned: 3, result: 0),
        ]
        #expect(!isLinearizable(lost, to: 1))
        let stale = [
          Event(operation: .send(1), called: 0, returned: 1, result: 0),
          Event(operation: .read, called: 2, returned: 3, result: 0),
        ]
        #expect(!isLinearizable(stale, to: 1))
        let fine = [
          Event(operation: .send(1), called: 0, returned: 3, result: 0),
          Event(operation: .read, called: 1, returned: 2, result: 0),
        ]
        #expect(isLinearizable(fine, to: 1))
      }
    }
  }

  /// Times that rise.
  final class Ticks: Sendable {
    private let count = Atomic(0)

    func next() -> Int {
      count.add(1, ordering: .sequentiallyConsistent).newValue
    }
  }
#endif
