#if Explorer
  import ActorBindings
  import ActorBindingsExplorer
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

    /// Runs the operation, and returns its result as a number.
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

    /// Applies the operation to a single-threaded model of a cell.
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

  /// One step of a program on two cells: an operation on one of them, or a transaction on both.
  enum Step: Sendable {
    case on(Int, Operation)
    /// Reads both cells.
    case look
    /// Reads both cells, as the value of their combination.
    case combine
    /// Reads both cells, and throws what it has read.
    case refuse
    /// Gives each cell the value of the other.
    case exchange
    /// Reads one of the cells, and writes the other.
    case copy(from: Int)

    static func random(using generator: inout SeededGenerator) -> Step {
      let cell = Int.random(in: 0...1, using: &generator)
      return switch Int.random(in: 0..<11, using: &generator) {
      case 10: .combine
      case 0: .look
      case 1: .refuse
      case 2..<4: .exchange
      case 4..<6: .copy(from: cell)
      default: .on(cell, .random(using: &generator))
      }
    }

    /// Returns a random step that a dictionary with two keys supports.
    static func randomOfKeys(using generator: inout SeededGenerator) -> Step {
      let (key, value) = (Int.random(in: 0...1, using: &generator), Int.random(in: 0...3, using: &generator))
      return switch Int.random(in: 0..<9, using: &generator) {
      case 0..<2: .combine
      case 2: .exchange
      case 3: .copy(from: key)
      case 4: .on(key, .modify(value + 1))
      case 5..<7: .on(key, .send(value))
      default: .on(key, .read)
      }
    }

    /// Runs the step on the keys 0 and 1 of a dictionary instead of two cells, and returns its result as a number.
    func run(on cells: BindableDictionary<Int, Int>) -> Int {
      func read(_ dictionary: PersistentDictionary<Int, Int>) -> [Int] { (0...1).map { dictionary[$0] ?? 0 } }
      switch self {
      case .on(let key, .read): return cells.source(forKey: key).value ?? 0
      case .on(let key, .send(let value)):
        cells.set(value, forKey: key)
        return 0
      case .on(let key, .modify(let summand)):
        return cells.modify(forKey: key) { value in
          let old = value ?? 0
          value = (old * 2 + summand) % 16
          return old
        }
      case .combine:
        let (first, second) = combineLatest(cells.source(forKey: 0), cells.source(forKey: 1)).value
        return Self.result(of: [first ?? 0, second ?? 0])
      case .exchange:
        return cells.modify { dictionary in
          let values = read(dictionary)
          (dictionary[0], dictionary[1]) = (values[1], values[0])
          return Self.result(of: values)
        }
      case .copy(let source):
        return cells.modify { dictionary in
          let values = read(dictionary)
          dictionary[1 - source] = (values[source] + 1) % 16
          return Self.result(of: values)
        }
      case .on, .look, .refuse: preconditionFailure("a dictionary cannot take \(self)")
      }
    }

    private struct Refusal: Error {
      let result: Int
    }

    /// Runs the step on two cells, and returns its result as a number.
    func run(on cells: [BindableActor<Int>]) -> Int {
      if case .on(let index, let operation) = self { return operation.run(on: cells[index]) }
      if case .combine = self {
        let (first, second) = combineLatest(cells[0], cells[1]).value
        return Self.result(of: [first, second])
      }
      do throws(Refusal) {
        return try BindingTransaction.run { transaction throws(Refusal) in
          // Reads the two cells in either order.
          let isBackwards = if case .copy(from: 1) = self { true } else { false }
          let second = isBackwards ? transaction[cells[1]] : 0
          let first = transaction[cells[0]]
          let values = [first, isBackwards ? second : transaction[cells[1]]]
          switch self {
          case .on, .look, .combine: break
          case .refuse: throw Refusal(result: Self.result(of: values))
          case .exchange:
            transaction[cells[0]] = values[1]
            transaction[cells[1]] = values[0]
          case .copy(let source): transaction[cells[1 - source]] = (values[source] + 1) % 16
          }
          return Self.result(of: values)
        }
      } catch {
        return error.result
      }
    }

    /// Applies the step to a single-threaded model of two cells.
    func run(on models: inout [Model]) -> Int {
      let values = models.map(\.value)
      switch self {
      case .on(let index, let operation): return operation.run(on: &models[index])
      case .look, .refuse, .combine: break
      case .exchange:
        // An exchange writes both cells, or neither.
        guard !models.contains(where: \.isFinished) else { break }
        models[0].write(values[1])
        models[1].write(values[0])
      case .copy(let source): models[1 - source].write((values[source] + 1) % 16)
      }
      return Self.result(of: values)
    }

    private static func result(of values: [Int]) -> Int { values[0] * 16 + values[1] }
  }

  /// A step that was run.
  typealias Event = RecordedOperation<Step, Int>

  /// Returns whether the events have an order that agrees with their times and with the models of two cells.
  func isLinearizable(_ events: [Event], to last: [Int]) -> Bool {
    isLinearizable(events, from: [Model(), Model()]) { step, models in
      step.run(on: &models)
    } accepts: { models in
      models.map(\.value) == last
    }
  }

  extension Schedules {
    @Suite
    struct Linearizability {
      private let effort = ExplorationBudget(depthFirst: 20, random: 60, priority: 20)

      @Test
      func `G1 random programs have linearizable histories`() throws {
        for (seed, program) in programs(of: { .on(0, .random(using: &$0)) }) {
          try explore("linearizable program \(seed)", within: effort) { run(program, in: $0) }
        }
      }

      @Test
      func `random programs with transactions have linearizable histories`() throws {
        for (seed, program) in programs(of: { .random(using: &$0) }) {
          try explore("linearizable transactions \(seed)", within: effort) { run(program, in: $0) }
        }
      }

      @Test(arguments: [false, true])
      func `random programs on keys of a dictionary have linearizable histories`(areWatched: Bool) throws {
        let effort = ExplorationBudget(depthFirst: 10, random: 25, priority: 10)
        for (seed, program) in programs(of: { .randomOfKeys(using: &$0) }) {
          try explore("linearizable keys \(seed)\(areWatched ? ", watched" : "")", within: effort) { world in
            let cells = BindableDictionary([0: 0, 1: 0])
            // Parked readers give writers something to distribute.
            let watchers =
              !areWatched
              ? []
              : [0, 1].map { key in
                world.task("watcher of \(key)") {
                  for await _ in cells.source(forKey: key).values {}
                }
              }
            run(program, in: world) {
              $0.run(on: cells)
            } end: {
              let last = [cells[0] ?? 0, cells[1] ?? 0]
              cells.finish()
              for watcher in watchers { await watcher.value }
              return last
            }
          }
        }
      }

      private func programs(of step: (inout SeededGenerator) -> Step) -> [(seed: UInt64, program: [[Step]])] {
        let environment = ProcessInfo.processInfo.environment
        let programs = UInt64(environment["ACTORBINDINGS_PROGRAMS"] ?? "50") ?? 50
        return (0..<programs).map { seed in
          var generator = SeededGenerator(seed: seed)
          return (seed, (0..<3).map { _ in (0..<3).map { _ in step(&generator) } })
        }
      }

      private func run(_ program: [[Step]], in world: ExplorationWorld) {
        let cells = [BindableActor(0), BindableActor(0)]
        run(program, in: world) {
          $0.run(on: cells)
        } end: {
          cells.map(\.value)
        }
      }

      // Runs a program. `run` returns the result of a step as a number, and `end` returns the values of both cells.
      private func run(
        _ program: [[Step]],
        in world: ExplorationWorld,
        _ run: @escaping @Sendable (Step) -> Int,
        end: @escaping @Sendable () async -> [Int]
      ) {
        let history = History<Step, Int>()
        let tasks = program.enumerated().map { index, steps in
          world.task("task \(index)") {
            for step in steps { await history.record(step) { run($0) } }
          }
        }
        world.task("judge") {
          for task in tasks { await task.value }
          let last = await end()
          world.expect(
            isLinearizable(history.operations, to: last),
            "not linearizable, ended on \(last): \(history.operations)"
          )
        }
      }

      @Test
      func `the search rejects what is not linearizable`() {
        let lost = [
          Event(.on(0, .modify(1)), called: 0, returned: 2, outcome: 0),
          Event(.on(0, .modify(1)), called: 1, returned: 3, outcome: 0),
        ]
        #expect(!isLinearizable(lost, to: [1, 0]))
        let stale = [
          Event(.on(0, .send(1)), called: 0, returned: 1, outcome: 0),
          Event(.on(0, .read), called: 2, returned: 3, outcome: 0),
        ]
        #expect(!isLinearizable(stale, to: [1, 0]))
        let fine = [
          Event(.on(0, .send(1)), called: 0, returned: 3, outcome: 0),
          Event(.on(0, .read), called: 1, returned: 2, outcome: 0),
        ]
        #expect(isLinearizable(fine, to: [1, 0]))
        let torn = [
          Event(.on(0, .send(1)), called: 0, returned: 1, outcome: 0),
          Event(.exchange, called: 2, returned: 5, outcome: 16),
          Event(.look, called: 3, returned: 4, outcome: 17),
        ]
        #expect(!isLinearizable(torn, to: [0, 1]))
        #expect(isLinearizable(Array(torn.prefix(2)), to: [0, 1]))
      }
    }
  }

  /// A clock whose times rise.
  final class Ticks: Sendable {
    private let count = Atomic(0)

    func next() -> Int {
      count.add(1, ordering: .sequentiallyConsistent).newValue
    }
  }
#endif
