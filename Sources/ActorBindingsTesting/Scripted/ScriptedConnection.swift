import ActorBindings
import ActorBindingsSharing

/// One subscription of a `ScriptedStore`: a task receives the changes of the other store, and the faults act on them.
// @unchecked: `lock` guards the variables.
final class ScriptedConnection: @unchecked Sendable {
  private enum End: Sendable {
    case finished
    case failed(any Error)
  }

  private let script: Script
  private let time: Timeline
  private let lock = Lock()
  // Guarded by `lock`.
  private var batches: [[StoreChange]] = []
  // Guarded by `lock`.
  private var end: End?
  // Guarded by `lock`. Whether a change was held back, so that no later one may follow.
  private var isCut = false
  // Guarded by `lock`.
  private var reader: Resumption?
  // Guarded by `lock`.
  private var task: Task<Void, Never>?

  init(_ script: Script, _ time: Timeline) {
    self.script = script
    self.time = time
  }

  /// Starts the task.
  func start(_ changes: any AsyncSequence<[StoreChange], any Error> & Sendable) {
    let late = script.lateChanges
    if !late.isEmpty { lock.withLock { batches = [late] } }
    let task = Task.detached { [self] in
      do {
        try await pass(changes)
        ended(.finished)
      } catch {
        ended(.failed(error))
      }
    }
    let isLate = lock.withLock {
      self.task = task
      return end != nil
    }
    if isLate { task.cancel() }
  }

  private func pass(_ changes: some AsyncSequence<[StoreChange], any Error>) async throws {
    for try await batch in changes {
      if let delay = script.delay { try await time.sleep(for: delay) }
      script.yielded(batch)
      let (isSilent, isDoubled) = (script.has(.silent), script.has(.duplicates))
      lock.withLock { () -> Resumption? in
        if isSilent { isCut = true }
        guard !isCut, end == nil else { return nil }
        batches += isDoubled ? [batch, batch] : [batch]
        return reader.take()
      }?.resume()
    }
  }

  /// The store ends the connection.
  func cut() {
    ended(.failed(StoreError.unavailable("the connection has ended")))
  }

  /// The reader is gone.
  func close() {
    ended(.finished)
  }

  private func ended(_ end: End) {
    let (reader, task) = lock.withLock { () -> (Resumption?, Task<Void, Never>?) in
      self.end = self.end ?? end
      return (self.reader.take(), self.task)
    }
    script.closed(self)
    task?.cancel()
    reader?.resume()
  }

  /// Returns the next changes; nil at the end.
  func next() async throws -> [StoreChange]? {
    await withTaskCancellationHandler {
      await Resumption.suspend { resumption in
        lock.withLock {
          guard batches.isEmpty, end == nil else { return false }
          reader = resumption
          return true
        }
      }
    } onCancel: {
      close()
    }
    try Task.checkCancellation()
    let (batch, outcome) = lock.withLock { (batches.isEmpty ? nil : batches.removeFirst(), end) }
    if let batch { return batch }
    if case .failed(let error) = outcome { throw error }
    return nil
  }
}

/// The changes of one connection. Only the first iterator receives them.
struct ScriptedSubscription: AsyncSequence {
  typealias Element = [StoreChange]
  typealias Failure = any Error

  private let extent: Extent

  init(_ connection: ScriptedConnection) {
    extent = Extent(connection)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(extent: extent)
  }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let extent: Extent

    func next() async throws -> [StoreChange]? {
      try await extent.connection.next()
    }
  }

  /// Closes the connection in its deinit.
  fileprivate final class Extent: Sendable {
    let connection: ScriptedConnection

    init(_ connection: ScriptedConnection) {
      self.connection = connection
    }

    deinit {
      connection.close()
    }
  }
}
