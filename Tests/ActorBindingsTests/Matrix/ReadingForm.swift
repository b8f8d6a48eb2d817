import ActorBindings
import Dispatch

/// A way to read a source until it ends. The raw value of a case is the declaration in the public API; if one
/// declaration has several forms, a semicolon and a distinguishing word follow. A new form needs a case here and a
/// branch in `begin`.
enum ReadingForm: String, CaseIterable, Sendable {
  case inPlace = "observe(backlog:isolation:handler:onEnd:)"
  case inPlaceOwned = "observe(owner:backlog:isolation:handler:onEnd:)"
  case context = "observe(on:backlog:handler:onEnd:); on a custom context"
  case queue = "observe(on:backlog:handler:onEnd:); on a queue"
  case owned = "observe(owner:on:backlog:handler:onEnd:)"
  case actor = "observe(with:backlog:handler:onEnd:)"
  case propertyInPlace = "bind(transform:to:target:backlog:isolation:)"
  case property = "bind(transform:to:target:on:backlog:)"
  case targetInPlace = "bind(to:backlog:isolation:)"
  case target = "bind(to:on:backlog:)"
  case cell = "bind(to:backlog:)"
  case stream = "values(backlog:)"
  case first = "first(isolation:where:)"
  case forEachLatest = "forEachLatest(isolation:body:)"
  case derived = "BindableActor.init(of:backlog:name:)"
}

extension ReadingForm {
  /// Whether the form has the backlog that it is given.
  var hasBacklog: Bool { self != .forEachLatest }

  /// Begins to read a source. Records in `seen` what the reader receives.
  func begin(
    _ source: some BindingSource<Int>,
    _ backlog: Backlog,
    _ seen: Recorder<Noticed>
  ) async -> BegunReading {
    let (place, context, queue) = (Place(), ManualContext(), DispatchQueue(label: "matrix"))
    let object = Object(seen)
    switch self {
    case .inPlace:
      let token = await place.run { _ in
        source.observe(backlog: backlog) { [handler = Handler(seen)] in handler.call($0) }
      }
      return BegunReading(cancel: { await place.run { _ in token.cancel() } }, isServed: true)
    case .inPlaceOwned:
      let token = await place.run { _ in
        source.observe(object, backlog: backlog) { [handler = Handler(seen)] in handler.call($1) }
      }
      let cancel = { @Sendable in await place.run { _ in token.cancel() } }
      return BegunReading(cancel: cancel, releaseOwner: release(object), isServed: true)
    case .context:
      let token = source.observe(on: context.delivery, backlog: backlog) { [handler = Handler(seen)] in
        handler.call($0)
      }
      return BegunReading(cancel: { token.cancel() }, getOn: { context.run() }, isPumped: true)
    case .queue:
      let token = source.observe(on: .queue(queue), backlog: backlog) { [handler = Handler(seen)] in
        handler.call($0)
      }
      return BegunReading(cancel: { await queue.run { token.cancel() } })
    case .owned:
      let token = source.observe(object, on: .queue(queue), backlog: backlog) { [handler = Handler(seen)] in
        handler.call($1)
      }
      return BegunReading(cancel: { await queue.run { token.cancel() } }, releaseOwner: release(object))
    case .actor:
      let owner = Box(place)
      let token = source.observe(with: place, backlog: backlog) { [handler = Handler(seen)] in
        handler.call($1)
      }
      let cancel = { @Sendable in await owner.value?.run { _ in token.cancel() } ?? () }
      return BegunReading(cancel: cancel, releaseOwner: release(place, from: owner))
    case .propertyInPlace:
      let token = await place.run { _ in
        source.bind(Handler(seen).pass, to: object, \.number, backlog: backlog)
      }
      let cancel = { @Sendable in await place.run { _ in token.cancel() } }
      return BegunReading(cancel: cancel, releaseOwner: release(object), isServed: true)
    case .property:
      let token = source.bind(
        { [handler = Handler(seen)] in handler.pass($0) },
        to: object,
        \.number,
        on: context.delivery,
        backlog: backlog
      )
      return BegunReading(
        cancel: { token.cancel() },
        releaseOwner: release(object),
        getOn: { context.run() },
        isPumped: true
      )
    case .targetInPlace:
      let token = await place.run { _ in source.bind(to: object, backlog: backlog) }
      let cancel = { @Sendable in await place.run { _ in token.cancel() } }
      return BegunReading(cancel: cancel, releaseOwner: release(object), noticesEnd: false, isServed: true)
    case .target:
      let token = source.bind(to: object, on: .queue(queue), backlog: backlog)
      return BegunReading(
        cancel: { await queue.run { token.cancel() } },
        releaseOwner: release(object),
        noticesEnd: false
      )
    case .cell:
      let cell = BindableActor(torn)
      let log = cell.dropFirst().observe(on: .immediate, backlog: .unbounded) { seen.record(.value($0)) }
      let token = source.bind(to: cell, backlog: backlog)
      return BegunReading(
        cancel: { await withExtendedLifetime(log) { token }.cancelAndWait() },
        releaseOwner: release(cell),
        noticesEnd: false
      )
    case .stream:
      let stream = source.values(backlog: backlog)
      let loop = Task {
        for await number in stream { seen.record(.value(number)) }
        seen.record(.end)
      }
      await hasBegun(source, or: seen)
      return BegunReading(cancel: {
        loop.cancel()
        await loop.value
      })
    case .first:
      let search = Task {
        _ = await source.first { number in
          seen.record(.value(number))
          return false
        }
        seen.record(.end)
      }
      await hasBegun(source, or: seen)
      return BegunReading(cancel: {
        search.cancel()
        await search.value
      })
    case .forEachLatest:
      let loop = Task {
        await source.forEachLatest { seen.record(.value($0)) }
        seen.record(.end)
      }
      await hasBegun(source, or: seen)
      return BegunReading(cancel: {
        loop.cancel()
        await loop.value
      })
    case .derived:
      func follow<Value>(
        _ cell: BindableActor<Value>,
        _ number: @escaping @Sendable (Value) -> Int?
      ) -> BegunReading {
        let log = cell.compactMap(number).observe(on: .immediate, backlog: .unbounded) {
          [handler = Handler(seen)] in handler.call($0)
        }
        return BegunReading(releaseOwner: release(cell), getOn: { withExtendedLifetime(log) {} })
      }
      if let state = source as? any StateSource<Int> {
        return follow(makeCell(of: state, backlog)) { $0 }
      }
      return follow(BindableActor(of: source, backlog: backlog)) { $0 }
    }
  }
}

/// The events that a reader notices.
enum Noticed: Sendable, Hashable {
  case value(Int)
  /// The captures of the reader's handler were released, or the reader's loop has ended.
  case end
}

/// A reading in progress.
struct BegunReading: Sendable {
  /// Cancels the reading on a context where none of its calls can be running. Nil if the reading has neither a token
  /// nor a task.
  var cancel: (@Sendable () async -> Void)?
  /// Releases the owner of the reading, and returns whether the owner was deallocated. Nil if the reading has no owner.
  var releaseOwner: (@Sendable () async -> Bool)?
  /// Lets the reader continue. Most readers continue by themselves.
  var getOn: @Sendable () -> Void = {}
  /// Whether the reader continues only when `getOn` is called.
  var isPumped = false
  /// Whether the reader notices its end.
  var noticesEnd = true
  /// Whether the reader receives the current value before the call that begins it returns.
  var isServed = false
}

/// Waits until `condition` holds. Returns false if `condition` still does not hold after very many turns of other work.
func soon(turns: Int = 100_000, _ condition: () async -> Bool) async -> Bool {
  for _ in 0..<turns {
    if await condition() { return true }
    await giveWay()
  }
  return false
}

/// Keeps the only reference to `object`, until the returned closure is called.
private func release<Object: AnyObject & Sendable>(
  _ object: Object,
  from box: Box<Object>? = nil
) -> @Sendable () async -> Bool {
  let box = box ?? Box(object)
  weak let owner = object
  return {
    box.value = nil
    return await soon { owner == nil }
  }
}

private func hasBegun(_ source: some BindingSource<Int>, or seen: Recorder<Noticed>) async {
  let root = source.cursor.root.cell
  _ = await soon { root.readerCount > 0 || seen.last == .end }
}

private func makeCell(of state: some StateSource<Int>, _ backlog: Backlog) -> BindableActor<Int> {
  BindableActor(of: state, backlog: backlog)
}

/// An object that a handler captures.
private final class Handler: Sendable {
  private let seen: Recorder<Noticed>

  init(_ seen: Recorder<Noticed>) {
    self.seen = seen
  }

  deinit {
    seen.record(.end)
  }

  func call(_ number: Int) {
    seen.record(.value(number))
  }

  func pass(_ number: Int) -> Int { number }
}

/// An owner of an observation, or a bound object.
private final class Object: BindingTarget, Sendable {
  private let seen: Recorder<Noticed>

  init(_ seen: Recorder<Noticed>) {
    self.seen = seen
  }

  var number: Int {
    get { torn }
    set { seen.record(.value(newValue)) }
  }

  func receive(_ number: Int) {
    self.number = number
  }
}

/// An isolation on which a source is observed in place.
private actor Place {
  func run<R: Sendable>(_ body: @Sendable (isolated Place) -> R) -> R {
    body(self)
  }
}

extension DispatchQueue {
  /// Runs `body` on this actor, and returns when `body` is done.
  fileprivate func run(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      self.async {
        body()
        continuation.resume()
      }
    }
  }
}

extension DeliveryContext {
  /// A context that runs its work at once. (Each use is another context.)
  fileprivate static var immediate: DeliveryContext {
    DeliveryContext(id: UInt64.random(in: 0 ... .max)) { $0() }
  }
}
