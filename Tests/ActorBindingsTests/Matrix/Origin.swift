import ActorBindings

/// A kind of cell of which a source can be made. The raw value of a case is the declaration in the public API; if one
/// declaration has several origins, a semicolon and a distinguishing word follow.
enum Origin: String, CaseIterable, Sendable {
  case cell = "BindableActor"
  case readOnly = "BindableCell.readOnly"
  case lens = "Lens"
  case array = "BindableArray"
  case dictionary = "BindableDictionary"
  case key = "BindableDictionary.source(forKey:)"
  case twoKeys = "BindableDictionary.source(forKey:); two keys of one dictionary"
  case selectedKey = "BindableDictionary.source(forKey:); the key that a cell names"
  case keys = "BindableDictionary.keysSource"
  case count = "BindableDictionary.countSource"
  case arrayCount = "BindableArray.countSource"
  case events = "EventSource"
  case loading = "LoadingCell"
  case isExecuting = "AsyncAction.isExecuting"
  case isEnabled = "AsyncAction.isEnabled"
  case outputs = "AsyncAction.outputs"
  case errors = "AsyncAction.errors"

  /// Returns a driver, which writes the numbers of a test, from 0 in steps of one, and makes its sources.
  func drive() -> Driver {
    switch self {
    case .cell:
      let cell = BindableActor(0)
      return Driver(cell, { cell }, write: { cell.send($0) })
    case .readOnly:
      let cell = BindableActor(0)
      return Driver(cell, { cell.readOnly }, write: { cell.send($0) })
    case .lens:
      let cell = BindableActor((number: 0, text: ""))
      let lens = cell.lens(\.number)
      return Driver(cell, { lens }, write: { lens.send($0) })
    case .array:
      let list = BindableArray([0])
      return Driver(list, { list.map { $0[0] } }, write: { list.send(CollectionOfOne($0)) })
    case .dictionary:
      let entries = BindableDictionary(["a": 0])
      return Driver(entries, { entries.map { $0["a"] ?? 0 } }, write: { entries.set($0, forKey: "a") })
    case .key:
      let entries = BindableDictionary(["a": 0])
      return Driver(
        entries,
        { entries.source(forKey: "a").map { $0 ?? 0 } },
        write: { entries.set($0, forKey: "a") }
      )
    case .twoKeys:
      let entries = BindableDictionary(["a": 0, "b": 0])
      return Driver(
        entries,
        {
          combineLatest(entries.source(forKey: "a"), entries.source(forKey: "b")).map {
            same($0 ?? 0, $1 ?? 0)
          }
        },
        write: { number in
          entries.modify { entries in
            entries["a"] = number
            entries["b"] = number
          }
        }
      )
    case .selectedKey:
      let entries = BindableDictionary([0: 0, 1: 0])
      let key = BindableActor(0)
      return Driver(
        cells: [entries.cursor.root.cell, key.cell],
        { key.flatMapLatest { entries.source(forKey: $0) }.map { $0 ?? 0 } },
        write: { number in
          entries.set(number, forKey: number % 2)
          key.send(number % 2)
        },
        finish: {
          entries.finish()
          key.finish()
        }
      )
    case .keys:
      let entries = BindableDictionary([0: 0])
      return Driver(
        entries,
        { entries.keysSource.map { $0[0] } },
        write: { number in
          entries.modify { entries in
            entries[number - 1] = nil
            entries[number] = number
          }
        }
      )
    case .count:
      let entries = BindableDictionary([0: 0])
      return Driver(entries, { entries.countSource.map { $0 - 1 } }, write: { entries.set($0, forKey: $0) })
    case .arrayCount:
      let list = BindableArray([0])
      return Driver(list, { list.countSource.map { $0 - 1 } }, write: { list.append($0) })
    case .events:
      let events = EventSource<Int>()
      return Driver(
        cells: [events.cursor.root.cell],
        { events },
        write: { events.send($0) },
        finish: { events.finish() }
      )
    case .loading:
      let number = Counter()
      let cell = LoadingCell { number.value }
      return Driver(
        cells: [cell.cursor.root.cell],
        { cell.map { $0.content ?? 0 }.removeDuplicates() },
        write: {
          number.set($0)
          _ = try? await cell.reload()
        },
        finish: { cell.finish() }
      )
    case .isExecuting:
      // The action executes while the number is odd.
      let gate = Box(Gate())
      let action = Box(AsyncAction { (_: Void) in await gate.value?.passed() })
      let isExecuting = { @Sendable in action.value?.isExecuting.value ?? false }
      return Driver(
        holding: action,
        { $0.isExecuting.map { $0 ? 1 : 0 } },
        write: { number in
          if number % 2 == 1 {
            gate.value = Gate()
            action.value?.start()
          } else {
            gate.value?.open()
            await eventually { !isExecuting() }
          }
        },
        finish: { gate.value?.open() }
      )
    case .isEnabled:
      let cell = BindableActor(0)
      let action = Box(AsyncAction(isEnabled: cell.map { $0 % 2 == 1 }) { (_: Void) in })
      return Driver(
        holding: action,
        { $0.isEnabled.map { $0 ? 1 : 0 } },
        write: { cell.send($0) }
      )
    case .outputs:
      let action = Box(AsyncAction<Int, Int> { number in number })
      return Driver(
        holding: action,
        { $0.outputs },
        write: { number in _ = try? await action.value?.execute(number) }
      )
    case .errors:
      let action = Box(AsyncAction<Int, Void> { number in throw Failure(number: number) })
      return Driver(
        holding: action,
        { $0.errors.compactMap { ($0 as? Failure)?.number } },
        write: { number in _ = try? await action.value?.execute(number) }
      )
    }
  }

  /// How a written number appears to a reader.
  func appearance(of number: Int) -> Int {
    switch self {
    case .isExecuting, .isEnabled: number % 2
    default: number
    }
  }

  /// Whether a reader receives nothing before the first write after its beginning.
  var tellsOnlyLaterValues: Bool { [.events, .outputs, .errors].contains(self) }

  /// Whether the sources of this origin read keys of a dictionary.
  var readsKeys: Bool { [.key, .twoKeys, .selectedKey].contains(self) }

  /// Whether the cell of this origin is written a little later than the cell that it follows.
  var isLate: Bool { self == .selectedKey || self == .isEnabled }
}

private struct Failure: Error {
  let number: Int
}

/// Returns the number that both sides of a combination show, or a marker if the sides belong to two instants.
@Sendable
func same(_ left: Int, _ right: Int) -> Int {
  left == right ? left : torn
}

/// The marker for two sides of a combination that belong to two instants.
let torn = -1000

/// The cells that one row of the matrix writes.
struct Driver: Sendable {
  /// The cells that are written.
  let cells: [AnyCell]
  /// Makes a source; each call makes another one.
  let source: @Sendable () -> any BindingSource<Int>
  /// Writes a number. A test writes the numbers from zero on, in steps of one.
  let write: @Sendable (Int) async -> Void
  let finish: @Sendable () -> Void

  init(
    cells: [AnyCell],
    _ source: @escaping @Sendable () -> any BindingSource<Int>,
    write: @escaping @Sendable (Int) async -> Void,
    finish: @escaping @Sendable () -> Void
  ) {
    self.cells = cells
    self.source = source
    self.write = write
    self.finish = finish
  }

  init(
    _ cell: some BindableCell,
    _ source: @escaping @Sendable () -> any BindingSource<Int>,
    write: @escaping @Sendable (Int) async -> Void
  ) {
    self.init(cells: [cell.cursor.root.cell], source, write: write, finish: { cell.finish() })
  }

  /// Drives an action, which has no `finish`: it ends when it is released.
  init<Input, Output>(
    holding action: Box<AsyncAction<Input, Output>>,
    _ source: @escaping @Sendable (AsyncAction<Input, Output>) -> any BindingSource<Int>,
    write: @escaping @Sendable (Int) async -> Void,
    finish: @escaping @Sendable () -> Void = {}
  ) {
    self.init(
      cells: [],
      {
        guard let action = action.value else { preconditionFailure("a source was asked for after the end") }
        return source(action)
      },
      write: write,
      finish: {
        action.value = nil
        finish()
      }
    )
  }
}
