import ActorBindings

/// A way to derive a source from a source. The raw value of a case is the declaration in the public API; if one
/// declaration has several rows, a semicolon and a distinguishing word follow. A new operator needs a case here and a
/// line in `derive`.
enum Derivation: String, CaseIterable, Sendable {
  case map = "map(transform:)"
  case mapProperty = "map(property:)"
  case filter = "filter(isIncluded:)"
  case compactMap = "compactMap(transform:)"
  case removeDuplicates = "removeDuplicates()"
  case removeDuplicatesBy = "removeDuplicates(by:)"
  case scan = "scan(initial:add:)"
  case withPrevious = "withPrevious()"
  case versioned = "versioned()"
  case dropFirst = "dropFirst()"
  case dropCount = "dropFirst(count:)"
  case dropWhile = "drop(while:)"
  case prefix = "prefix(count:)"
  case prefixWhile = "prefix(while:)"
  case prefixUntil = "prefix(until:)"
  case sampleOn = "sample(on:)"
  case orInitially = "orInitially(initial:)"
  case replaceNil = "replaceNil(with:)"
  case erased = "erased()"
  case erasedState = "erased(); of a state"
  case combineWithCell = "combineLatest(first:second:)"
  case combineWithItself = "combineLatest(first:second:); of one source twice"
  case combineThree = "combineLatest(first:second:third:)"
  case combineFour = "combineLatest(first:second:third:fourth:)"
  case combineFive = "combineLatest(first:second:third:fourth:fifth:)"
  case combineSix = "combineLatest(first:second:third:fourth:fifth:sixth:)"
  case mergeTwo = "merge(first:second:)"
  case mergeThree = "merge(first:second:third:)"
  case zipTwo = "zip(first:second:)"
  case combineList = "combineLatest(sources:)"
  case combineEmptyList = "combineLatest(sources:); none, with another source"
  case mergeList = "merge(sources:)"
  case zipList = "zip(sources:)"
  case switchOuter = "switchToLatest(innerBacklog:)"
  case switchInner = "switchToLatest(innerBacklog:); to this source"
  case flatMapOuter = "flatMapLatest(innerBacklog:transform:)"
  case flatMapInner = "flatMapLatest(innerBacklog:transform:); to this source"
  case flatMapToCell = "flatMapLatest(innerBacklog:transform:); to a cell that only it holds"
  case flatMapToLoading = "flatMapLatest(innerBacklog:transform:); to a load that only it holds"
  case debounce = "debounce(for:clock:)"
  case throttle = "throttle(for:latest:clock:)"
  case throttleOldest = "throttle(for:latest:clock:); to the oldest"
  case sample = "sample(every:clock:)"
  case delay = "delay(for:clock:)"
  case chunks = "chunks(ofCount:orAfter:clock:)"
  case asyncMap = "asyncMap(maxConcurrent:inputBacklog:transform:)"
  case asyncMapConcurrently = "asyncMap(maxConcurrent:inputBacklog:transform:); several calls at a time"
  case asyncMapThrowing = "asyncMap(maxConcurrent:inputBacklog:transform:); to results"
  case mapLatest = "mapLatest(keepingLast:transform:)"
  case derivedCell = "BindableActor.init(of:backlog:name:)"
  case derivedInitially = "BindableActor.init(initially:of:backlog:name:)"
  case derivedState = "BindableActor.init(of:backlog:name:) of a state"
  case keeping = "keeping(object:)"
  case handleEvents = "handleEvents(onSubscribe:onValue:onEnd:onCancel:)"
  case changes = "changes"
  case mapArray = "mapElements(transform:) of an array"
  case filterArray = "filterElements(isIncluded:) of an array"
  case filterArrayByNewest = "filterElements(by:) of an array"
  case sortedArray = "sorted() of an array"
  case sortedArrayBy = "sorted(by:) of an array"
  case sortedArrayByNewest = "sorted(by:) of an array; by the newest order"
  case pageOfArray = "page(offset:count:) of an array"
  case reversedArray = "reversed() of an array"
  case mapDictionary = "mapElements(transform:) of a dictionary"
  case filterDictionary = "filterElements(isIncluded:) of a dictionary"
  case filterDictionaryByNewest = "filterElements(by:) of a dictionary"
  case sortedDictionary = "sorted(by:) of a dictionary"
  case sortedDictionaryByNewest = "sorted(by:) of a dictionary; by the newest order"
  case groupedDictionary = "grouped(by:) of a dictionary"
  case joinedDictionary = "joined(with:transform:) of a dictionary"

  /// Derives a source of the same numbers.
  func derive(_ source: some BindingSource<Int>, in world: World) -> any BindingSource<Int> {
    // The closures below capture parts of the world, and not the world itself, which holds derived cells.
    let (zero, clock) = (world.zero, world.clock)
    return switch self {
    case .map: source.map { $0 }
    case .mapProperty: source.map(itself)
    case .filter: source.filter { $0 != torn }
    case .compactMap: source.compactMap { $0 }
    case .removeDuplicates: source.removeDuplicates()
    case .removeDuplicatesBy: source.removeDuplicates(by: ==)
    case .scan: source.scan(0) { $1 }
    case .withPrevious: source.withPrevious().map(\.new)
    case .versioned: source.versioned().map(\.value)
    case .dropFirst: source.dropFirst()
    case .dropCount: merge(zero.map { _ in torn }, source).dropFirst(1)
    case .dropWhile: source.drop { $0 == torn }
    case .prefix: source.prefix(.max)
    case .prefixWhile: source.prefix { $0 != torn }
    case .prefixUntil: source.prefix(until: zero)
    case .sampleOn: source.sample(on: source)
    case .orInitially: source.orInitially(torn).filter { $0 != torn }
    case .replaceNil: source.map { Optional($0) }.replaceNil(with: torn)
    case .erased: source.erased()
    case .erasedState: eraseState(source)
    case .combineWithCell: combineLatest(source, zero).map { $0 + $1 }
    case .combineWithItself: combineLatest(source, source.map { $0 }).map { same($0, $1) }
    case .combineThree: combineLatest(source, zero, source).map { same($0, $2) + $1 }
    case .combineFour:
      combineLatest(source, zero, source, zero).map { same($0, $2) + $1 + $3 }
    case .combineFive:
      combineLatest(zero, source, zero, zero, source).map { same($1, $4) + $0 + $2 + $3 }
    case .combineSix:
      combineLatest(zero, zero, source, zero, zero, source).map { same($2, $5) + $0 + $1 + $3 + $4 }
    case .mergeTwo: merge(source, zero.dropFirst())
    case .mergeThree: merge(zero.dropFirst(), source, zero.dropFirst())
    case .zipTwo: zip(source, source).map { same($0, $1) }
    case .combineList: combineLatest([source, source]).map { same($0[0], $0[1]) }
    case .combineEmptyList: combineLatest(source, combineLatest([zero].prefix(0))).map { $0 + $1.count }
    case .mergeList: merge([source])
    case .zipList: zip([source, source]).map { same($0[0], $0[1]) }
    case .switchOuter: source.map { number in zero.map { $0 + number } }.switchToLatest()
    case .switchInner: zero.map { _ in source }.switchToLatest()
    case .flatMapOuter: source.flatMapLatest { number in zero.map { $0 + number } }
    case .flatMapInner: zero.flatMapLatest { _ in source }
    case .flatMapToCell: source.flatMapLatest { BindableActor($0) }
    case .flatMapToLoading: source.flatMapLatest(load).compactMap(\.content)
    case .debounce: source.debounce(for: World.interval, clock: clock)
    case .throttle: source.throttle(for: World.interval, clock: clock)
    case .throttleOldest: source.throttle(for: World.interval, latest: false, clock: clock)
    case .sample: source.sample(every: World.interval, clock: clock)
    case .delay: source.delay(for: World.interval, clock: clock)
    case .chunks:
      source.chunks(ofCount: 2, orAfter: World.interval, clock: clock).map { $0.last ?? torn }
    case .asyncMap: source.asyncMap { $0 }
    case .asyncMapConcurrently: source.asyncMap(maxConcurrent: 3) { $0 }
    case .asyncMapThrowing:
      source.asyncMap { number in
        if number == torn { throw CancellationError() }
        return number
      }
      .map { (try? $0.get()) ?? torn }
    case .mapLatest: source.mapLatest { $0 }.compactMap(\.content)
    case .derivedCell:
      world.held(BindableActor(of: source.compactMap { $0 }, backlog: .unbounded)).compactMap { $0 }
    case .derivedInitially:
      world.held(BindableActor(initially: torn, of: source, backlog: .unbounded)).filter { $0 != torn }
    case .derivedState: followState(source, in: world)
    case .keeping: source.keeping(zero)
    case .handleEvents: source.handleEvents(onSubscribe: {}, onValue: { _ in }, onEnd: {}, onCancel: {})
    case .changes: source.map(array).changes.map { $0.value[0] }
    case .mapArray: source.map(array).mapElements { $0 }.map { $0[0] }
    case .filterArray: source.map(array).filterElements { $0 >= 0 }.map { $0.first ?? torn }
    case .filterArrayByNewest:
      source.map(array)
        .filterElements(by: source.map { number in { @Sendable other in other == number } })
        .map { $0.first ?? torn }
    case .sortedArray: source.map(array).sorted().map { $0[1] }
    case .sortedArrayBy: source.map(array).sorted(by: >).map { $0[0] }
    case .sortedArrayByNewest: source.map(array).sorted(by: zero.map(descending)).map { $0[0] }
    case .pageOfArray: source.map(array).page(count: 1).map { $0[0] }
    case .reversedArray: source.map(array).reversed().map { $0[1] }
    case .mapDictionary: source.map(dictionary).mapElements { $0 }.map { $0["a"] ?? torn }
    case .filterDictionary: source.map(dictionary).filterElements { $0 >= 0 }.map { $0["a"] ?? torn }
    case .filterDictionaryByNewest:
      source.map(dictionary)
        .filterElements(by: source.map { number in { @Sendable other in other == number } })
        .map { $0["a"] ?? torn }
    case .sortedDictionary: source.map(dictionary).sorted { $0.value > $1.value }.map { $0[0].value }
    case .sortedDictionaryByNewest:
      source.map(dictionary).sorted(by: zero.map(descendingByValue)).map { $0[0].value }
    case .groupedDictionary: source.map(dictionary).grouped { $0 >= 0 }.map { $0[true]?["a"] ?? torn }
    case .joinedDictionary:
      source.map(dictionary).joined(with: source.map(dictionary)) { same($0 ?? torn, $1 ?? torn) }
        .map { $0["a"] ?? torn }
    }
  }

  /// Whether the derived source has a cell of its own that an observation, a timer or a task writes.
  var isRelay: Bool {
    switch self {
    case .switchOuter, .switchInner, .flatMapOuter, .flatMapInner, .flatMapToCell, .flatMapToLoading: true
    case .asyncMap, .asyncMapConcurrently, .asyncMapThrowing, .mapLatest: true
    default: isTimed
    }
  }

  var isTimed: Bool { [.debounce, .throttle, .throttleOldest, .sample, .delay, .chunks].contains(self) }

  var isDerivedCell: Bool { [.derivedCell, .derivedInitially, .derivedState].contains(self) }

  var combines: Bool {
    switch self {
    case .combineWithCell, .combineWithItself, .combineThree, .combineFour, .combineFive, .combineSix,
      .filterArrayByNewest:
      true
    case .combineList, .combineEmptyList: true
    case .sortedArrayByNewest, .filterDictionaryByNewest, .sortedDictionaryByNewest, .joinedDictionary: true
    default: false
    }
  }
}

private let itself: any KeyPath<Int, Int> & Sendable = \.self

// The functions `array` and `dictionary` show a number as the only element that is not negative.

@Sendable
private func array(_ number: Int) -> PersistentArray<Int> { [number, -1 - number] }

@Sendable
private func dictionary(_ number: Int) -> PersistentDictionary<String, Int> {
  ["a": number, "b": -1 - number]
}

private typealias Entry = (key: String, value: Int)

@Sendable
private func descending(_: Int) -> @Sendable (Int, Int) -> Bool {
  { $0 > $1 }
}

@Sendable
private func descendingByValue(_: Int) -> @Sendable (Entry, Entry) -> Bool {
  { $0.value > $1.value }
}

@Sendable
private func load(_ number: Int) -> LoadingCell<Int> {
  let cell = LoadingCell { number }
  cell.startLoading()
  return cell
}

private func eraseState(_ source: some BindingSource<Int>) -> any BindingSource<Int> {
  func erased(_ state: some StateSource<Int>) -> any BindingSource<Int> { state.erased() }
  guard let state = source as? any StateSource<Int> else { return source.erased() }
  return erased(state)
}

private func followState(_ source: some BindingSource<Int>, in world: World) -> any BindingSource<Int> {
  func derived(_ state: some StateSource<Int>) -> any BindingSource<Int> {
    world.held(BindableActor(of: state))
  }
  guard let state = source as? any StateSource<Int> else {
    return Derivation.derivedCell.derive(source, in: world)
  }
  return derived(state)
}

/// The objects that the sources of one row share.
final class World: Sendable {
  /// A cell with which others are combined, and which stays zero.
  let zero = BindableActor(0)
  let clock = ManualClock()
  // The derived cells that this world keeps alive.
  private let derived = Guarded<[(object: any AnyObject & Sendable, cell: AnyCell)]>([])

  static let interval = Duration.seconds(1)

  /// Keeps a derived cell alive.
  func held<Cell: BindableCell>(_ cell: Cell) -> Cell {
    derived.withLock { $0.append((cell, cell.cursor.root.cell)) }
    return cell
  }

  func releaseDerivedCells() {
    let cells = derived.withLock { derived in
      defer { derived = [] }
      return derived
    }
    _ = consume cells
  }

  /// Further cells whose readers are counted, besides the written cells.
  var allCells: [AnyCell] {
    [zero.cell] + derived.withLock { $0.map(\.cell) }
  }
}
