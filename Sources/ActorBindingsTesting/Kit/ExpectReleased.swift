import ActorBindings

/// Runs a scope, and expects that the objects that it tracks are deallocated afterwards.
///
/// ```swift
/// try await expectReleased { objects in
///   let prices = BindableActor(0)
///   let view = objects.track(PriceView(prices))
///   prices.send(1)
///   view.close()
/// }
/// ```
///
/// It fails if an object is part of a cycle of references, or if something that lives on refers to it: a global variable, a
/// task that never ends, or an observation whose token was kept. What runs on another thread when the scope ends may
/// release an object a little later: the function waits for that.
///
/// - Parameters:
///   - limit: The time after which an object counts as not released.
///   - fileID: The file that the error names.
///   - filePath: The path of that file, for a test framework.
///   - line: The line that the error names.
///   - isolation: The isolation of the caller, in which the scope runs.
///   - scope: The code under test. Let it return no object.
/// - Throws: ``ReleaseError`` with the names of the objects that are still in use, and the readers of each cell among them;
///   or the error of `scope`.
public func expectReleased(
  within limit: Duration = .seconds(10),
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  isolation: isolated (any Actor)? = #isolation,
  _ scope: (ReleaseTracker) async throws -> Void
) async throws {
  let tracker = ReleaseTracker()
  try await scope(tracker)
  let clock = ContinuousClock()
  let deadline = clock.now.advanced(by: limit)
  while tracker.isInUse {
    guard clock.now < deadline else {
      let inUse = tracker.inUse
      if inUse.isEmpty { return }
      try ReleaseError(inUse, within: limit, CallPlace(fileID, filePath, line)).report()
    }
    // No event says that an object was deallocated.
    try await clock.sleep(for: .milliseconds(1))
  }
}

/// The objects that ``expectReleased(within:fileID:filePath:line:isolation:_:)`` expects to be deallocated.
public final class ReleaseTracker {
  private struct Entry {
    let name: String
    weak var object: AnyObject?
  }

  private var entries: [Entry] = []

  init() {}

  /// Expects that an object is deallocated after the scope.
  ///
  /// - Parameters:
  ///   - object: The object, which is not kept alive.
  ///   - name: The name that the error calls it by. Nil stands for its type.
  /// - Returns: The object.
  public func track<Object: AnyObject>(_ object: Object, as name: String? = nil) -> Object {
    entries.append(Entry(name: name ?? "\(type(of: object))", object: object))
    return object
  }

  var isInUse: Bool { entries.contains { $0.object != nil } }

  /// The objects that are still in use.
  var inUse: [(name: String, readers: [String])] {
    entries.compactMap { entry in
      entry.object.map { (name: entry.name, readers: ($0 as? any BindingSource)?.readerLines ?? []) }
    }
  }
}

extension BindingSource {
  /// The readers of the cell of this source, as far as diagnostics know them.
  fileprivate var readerLines: [String] { rootCell.diagnostics.readerLines }
}

/// Objects that are still in use after a scope.
public struct ReleaseError: Error, KitError, Sendable, CustomStringConvertible {
  /// The names of the objects.
  public let names: [String]
  let place: CallPlace
  let message: String

  /// Says which line expected what, and below that, which readers each cell among the objects has.
  ///
  /// ```text
  /// CatTests/HubTests.swift:21: expected that all objects are released within 10.0 seconds, and still in use are: prices
  ///   prices: observer at Server/Hub.swift:88 on the actor MainActor, .latest
  /// ```
  public var description: String { "\(place): \(message)" }

  init(_ objects: [(name: String, readers: [String])], within limit: Duration, _ place: CallPlace) {
    names = objects.map(\.name)
    self.place = place
    let start = "expected that all objects are released within \(limit), and still in use are: "
    let readers = objects.flatMap { name, readers in readers.map { "\n  \(name): \($0)" } }
    message = start + names.joined(separator: ", ") + readers.joined()
  }
}

@available(*, unavailable)
extension ReleaseTracker: Sendable {}
