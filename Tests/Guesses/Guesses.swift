// Each line in the functions below is right in another library, or looks right. Behind a wrong line stands the
// beginning of the first error that the compiler must report there. A line without an error is a guess that the library
// accepts.
//
// `.ci/run client` compiles this file and compares the errors. A new guess is one line here, and a declaration in
// `Sources/ActorBindings/Guesses` if the compiler has no good answer of its own.

// Each guess has one line, however long.
// swift-format-ignore-file

import ActorBindings
import Dispatch

// MARK: - Where there is an actor

@MainActor
func writing(_ cell: BindableActor<Int>, _ list: BindableArray<Int>, _ prices: BindableDictionary<String, Int>) {
  cell.accept(1)  // error: 'accept' has been renamed to 'send(_:)'
  cell.onNext(1)  // error: 'onNext' has been renamed to 'send(_:)'
  cell.yield(1)  // error: 'yield' has been renamed to 'send(_:)'
  cell.emit(1)  // error: 'emit' has been renamed to 'send(_:)'
  cell.tryEmit(1)  // error: 'tryEmit' has been renamed to 'send(_:)'
  cell.value = 1  // error: setter for 'value' is unavailable: use send(_:)
  cell.value += 1  // error: setter for 'value' is unavailable: use send(_:)
  cell.mutate { $0 += 1 }  // error: 'mutate' has been renamed to 'modify(_:)'
  cell.withLock { $0 += 1 }  // error: 'withLock' has been renamed to 'modify(_:)'
  cell.withValue { $0 += 1 }  // error: 'withValue' has been renamed to 'modify(_:)'
  cell.complete()  // error: 'complete()' has been renamed to 'finish()'
  cell.onCompleted()  // error: 'onCompleted()' has been renamed to 'finish()'
  cell.sendCompleted()  // error: 'sendCompleted()' has been renamed to 'finish()'
  cell.send(completion: .finished)  // error: 'send(completion:)' is unavailable: use finish()
  list.value.append(1)  // error: setter for 'value' is unavailable: use send(_:)
  list[0] = 1  // error: setter for 'subscript(_:)' is unavailable: another writer may get in between: use update(_:at:)
  prices["ACME"] = 1  // error: setter for 'subscript(_:)' is unavailable: another writer may get in between: use set(_:forKey:)
  prices.set(1, for: "ACME")  // error: incorrect argument label in call (have '_:for:', expected '_:forKey:')
  prices.updateValue(1, forKey: "ACME")  // error: 'updateValue(_:forKey:)' has been renamed to 'set(_:forKey:)'
}

@MainActor
func observing(_ cell: BindableActor<Int>, _ queue: DispatchQueue, _ label: Label, _ worker: Worker, _ owner: Owner, _ service: Service) {
  _ = cell.observe(on: queue) { print($0) }
  _ = cell.observe(on: .global()) { print($0) }
  _ = cell.observe(on: MainActor.shared) { label.number = $0 }
  cell.observe(service, on: queue) { _, number in print(number) }
  cell.observe(label, on: MainActor.shared) { $0.number = $1 }
  _ = cell.observe(on: .mainActor) { print($0) }  // error: 'mainActor' has been renamed to 'main'
  _ = cell.observe(on: worker) { print($0) }  // error: 'observe(on:backlog:_:)' is unavailable: an actor is passed with `with:`
  _ = cell.observe(on: .actor(worker)) { print($0) }  // error: 'actor' is unavailable: use observe(with: actor)
  cell.observe(with: owner) { $0.receive($1) }  // error: 'observe(with:backlog:_:)' is unavailable: `with:` takes an actor: use observe(owner)
  cell.observe(with: label) { $0.number = $1 }  // error: 'observe(with:backlog:_:)' is unavailable: `with:` takes an actor: use observe(owner)
  _ = cell.sink { print($0) }  // error: 'sink(receiveValue:)' has been renamed to 'observe(_:)'
  _ = cell.map { $0 + 1 }.sink { print($0) }  // error: 'sink(receiveValue:)' has been renamed to 'observe(_:)'
  _ = cell.sink(receiveValue: { print($0) })  // error: 'sink(receiveValue:)' has been renamed to 'observe(_:)'
  _ = cell.sink(receiveCompletion: { _ in }, receiveValue: { _ in })  // error: 'sink(receiveCompletion:receiveValue:)' is unavailable: use observe(_:)
  _ = cell.subscribe { print($0) }  // error: 'subscribe(onNext:)' has been renamed to 'observe(_:)'
  _ = cell.subscribe(onNext: { print($0) })  // error: 'subscribe(onNext:)' has been renamed to 'observe(_:)'
  _ = cell.subscribe(with: owner, onNext: { $0.receive($1) })  // error: 'subscribe(with:onNext:)' has been renamed to 'observe(_:_:)'
  _ = cell.startWithValues { print($0) }  // error: 'startWithValues' has been renamed to 'observe(_:)'
  _ = cell.observeValues { print($0) }  // error: 'observeValues' has been renamed to 'observe(_:)'
  _ = cell.drive(onNext: { print($0) })  // error: 'drive(onNext:)' has been renamed to 'observe(_:)'
  cell.collect { print($0) }  // error: 'collect' is unavailable: use observe(_:), or a loop
  cell.collectLatest { print($0) }  // error: 'collectLatest' is unavailable: use forEachLatest(_:)
  cell.observe(on: queue).subscribe(onNext: { print($0) })  // error: 'observe(on:)' is unavailable: say it where you observe
  cell.receive(on: queue).sink { print($0) }  // error: 'receive(on:)' is unavailable: say it where you observe
  cell.subscribe(on: queue).sink { print($0) }  // error: 'subscribe(on:)' is unavailable: a source starts no work
}

@MainActor
func binding(_ cell: BindableActor<Int>, _ label: Label) {
  _ = cell.assign(to: \.number, on: label)  // error: 'assign(to:on:)' is unavailable: use bind(to: object, \.property)
  _ = cell.bind { label.number = $0 }  // error: 'bind(onNext:)' is unavailable: use observe(_:)
  _ = cell.bind(onNext: { label.number = $0 })  // error: 'bind(onNext:)' is unavailable: use observe(_:)
  _ = cell.drive(label)  // error: 'drive' has been renamed to 'bind(to:)'
  cell ->> label  // error: operator function '->>' requires that 'Label' conform to 'BindingTarget'
}

@MainActor
func keeping(_ token: BindingToken, _ bag: DisposeBag) {
  var set: Set<Int> = []
  bag.insert([token])
  token.dispose()  // error: 'dispose()' has been renamed to 'cancel()'
  token.invalidate()  // error: 'invalidate()' has been renamed to 'cancel()'
  token.unsubscribe()  // error: 'unsubscribe()' has been renamed to 'cancel()'
  token.disposed(by: bag)  // error: 'disposed(by:)' has been renamed to 'store(in:)'
  token.store(in: &set)  // error: 'store(in:)' is unavailable: tokens are kept in a DisposeBag: store(in: bag)
  bag.cancel()  // error: 'cancel()' has been renamed to 'dispose()'
  bag.removeAll()  // error: 'removeAll()' is unavailable: use dispose()
  bag.add(token)  // error: 'add' has been renamed to 'insert(_:)'
  bag.append(token)  // error: 'append' has been renamed to 'insert(_:)'
}

@MainActor
func looping(_ cell: BindableActor<Int>, _ list: BindableArray<Int>, _ prices: BindableDictionary<String, Int>) async {
  for await number in cell { print(number) }  // error: 'makeAsyncIterator()' is unavailable: iterate its `values`
  for await numbers in list { print(numbers) }  // error: 'makeAsyncIterator()' is unavailable: iterate its `values`
  for await all in prices { print(all) }  // error: 'makeAsyncIterator()' is unavailable: iterate its `values`
  for await number in cell.stream { print(number) }  // error: 'stream' has been renamed to 'values'
  for await number in cell.values() { print(number) }  // error: missing argument for parameter 'backlog' in call
  for await number in cell.publisher { print(number) }  // error: 'publisher' is unavailable: a cell is a source itself
  cell.follow(cell)  // error: conformance of 'BindableActor<Value>' to 'AsyncSequence' is unavailable: iterate its `values`
  cell.update(1)  // error: actor-isolated instance method 'update' cannot be called from outside of the actor
}

@MainActor
func deriving(_ cell: BindableActor<Int>, _ doubled: some StateSource<Int>, _ text: BindableActor<String?>, _ queue: DispatchQueue) {
  _ = cell.publisher  // error: 'publisher' is unavailable: a cell is a source itself
  _ = cell.projectedValue  // error: 'projectedValue' is unavailable: a cell is a source itself
  _ = cell.asObservable()  // error: 'asObservable()' is unavailable: a cell is a source itself
  _ = cell.asDriver()  // error: 'asDriver()' is unavailable: sources do not fail: observe
  _ = cell.asStateFlow()  // error: 'asStateFlow()' has been renamed to 'readOnly'
  _ = cell.map { $0 + 1 }.eraseToAnyPublisher()  // error: 'eraseToAnyPublisher()' is unavailable: use erased()
  _ = cell.share()  // error: 'share()' is unavailable: readers share a cell already
  _ = cell.map { $0 + 1 }.share(replay: 1)  // error: 'share(replay:)' is unavailable: readers share a cell already
  _ = cell.distinctUntilChanged()  // error: 'distinctUntilChanged()' has been renamed to 'removeDuplicates()'
  _ = cell.skipRepeats()  // error: 'skipRepeats()' has been renamed to 'removeDuplicates()'
  _ = cell.skip(1)  // error: 'skip' has been renamed to 'dropFirst(_:)'
  _ = cell.skip(first: 1)  // error: 'skip(first:)' has been renamed to 'dropFirst(_:)'
  _ = doubled.dropFirst(1)
  _ = cell.take(1)  // error: 'take' has been renamed to 'prefix(_:)'
  _ = cell.pairwise()  // error: 'pairwise()' has been renamed to 'withPrevious()'
  _ = cell.adjacentPairs()  // error: 'adjacentPairs()' has been renamed to 'withPrevious()'
  _ = cell.combinePrevious()  // error: 'combinePrevious()' has been renamed to 'withPrevious()'
  _ = text.compacted()  // error: 'compacted()' is unavailable: use compactMap { $0 }
  _ = cell.reductions(0, +)  // error: 'reductions' has been renamed to 'scan(_:_:)'
  _ = cell.withLatestFrom(text)  // error: 'withLatestFrom' is unavailable: use map { … other.value }
  _ = doubled.flatMap { _ in text }  // error: 'flatMap' is unavailable: use flatMapLatest(_:)
  _ = cell.prepend(1)  // error: 'prepend' is unavailable: a source begins with its current value
  _ = cell.startWith(1)  // error: 'startWith' is unavailable: a source begins with its current value
  _ = cell.handleEvents(receiveOutput: { _ in })  // error: 'handleEvents(receiveOutput:)' is unavailable: use handleEvents(onValue:)
  _ = cell.do(onNext: { _ in })  // error: 'do(onNext:)' is unavailable: use handleEvents(onValue:)
  _ = cell.debounce(for: .seconds(1), scheduler: queue)  // error: 'debounce(for:scheduler:)' is unavailable: use debounce(for:clock:)
  _ = cell.throttle(for: .seconds(1), scheduler: queue, latest: true)  // error: 'throttle(for:scheduler:latest:)' is unavailable: use throttle(for:latest:clock:)
}

@MainActor
func loading(_ profile: LoadingCell<Int>) async throws {
  _ = try await profile.fetch()  // error: 'fetch()' has been renamed to 'load()'
  _ = try await profile.refresh()  // error: 'refresh()' has been renamed to 'reload()'
}

// MARK: - Where there is none

func elsewhere(_ cell: BindableActor<Int>, _ owner: Owner) {
  _ = cell.observe { print($0) }  // error: 'nil' is not compatible with expected argument type '`actor of the caller; elsewhere pass on:`'
  cell.observe(owner) { $0.receive($1) }  // error: 'nil' is not compatible with expected argument type '`actor of the caller; elsewhere pass on:`'
  cell.bind(to: owner, \.number)  // error: 'nil' is not compatible with expected argument type '`actor of the caller; elsewhere pass on:`'
  _ = cell.sink { print($0) }  // error: 'sink(receiveValue:)' has been renamed to 'observe(_:)': outside an actor, use observe(on:_:)
}

@concurrent
func elsewhereInATask(_ cell: BindableActor<Int>) async {
  _ = cell.observe { print($0) }  // error: 'nil' is not compatible with expected argument type '`actor of the caller; elsewhere pass on:`'
}

// MARK: - What the article Gotchas says

@MainActor
func mapping(_ config: BindableActor<Config>, _ name: any BindingSource<String>) {
  _ = config.map(\.level)  // error: type 'KeyPath<Config, Int>' does not conform to the 'Sendable' protocol
  _ = config.map { $0.level }
  _ = name.map { $0 }  // error: member 'map' cannot be used on value of type 'any BindingSource<String>'; consider using a generic constraint instead
  _ = name.values  // error: member 'values' cannot be used on value of type 'any BindingSource<String>'; consider using a generic constraint instead
}

@MainActor
func showing(_ cell: BindableActor<Int>, _ label: Label) {
  _ = cell.observe(on: .main) { label.number = $0 }  // error: main actor-isolated property 'number' can not be mutated from a Sendable closure
  cell.observe(label, on: MainActor.shared) { label, number in label.number = number }
}

actor Counter {
  var count = 0

  func follow(_ cell: BindableActor<Int>) {
    cell.bind(to: self, \.count)  // error: cannot form key path to actor-isolated property 'count'
    cell.observe(self) { me, value in me.count = value }  // error: actor-isolated property 'count' can not be mutated from a nonisolated context
    _ = cell.observe { [weak self] value in self?.count = value }  // error: actor-isolated property 'count' can not be mutated from a nonisolated context
    cell.observe(with: self) { me, value in me.count = value }
  }
}

// MARK: - What the lines use

@MainActor
struct Config: Sendable {
  var level = 0
}

actor Worker {}

@MainActor
final class Label {
  var number = 0
}

final class Service: Sendable {}

final class Owner {
  var number = 0
  func receive(_ number: Int) {}
}
