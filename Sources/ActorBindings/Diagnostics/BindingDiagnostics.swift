/// Describes the readers of a cell at one moment: its observers, loops and streams, how far they are behind, what the cell
/// keeps for them, and the cells that are derived from it.
///
/// ```swift
/// print(prices.diagnostics)
/// ```
///
/// ```text
/// prices, BindableActor<Double> at Server/Feed.swift:12, version 311
///   keeps at least 41 updates
///   observer at Server/Log.swift:40 on the queue log, .unbounded, busy, 41 behind
///   12 observers at Server/Hub.swift:88 on the actor MainActor, .latest
///   loop at Server/Clients.swift:31 in the task "client 17", .bounded(100), 3 behind
/// ```
///
/// A cell knows its observers at all times. It knows its loops and streams one by one only if ``isRecording`` was true
/// when they began. See <doc:SeeingWhatACellDoes>.
public struct BindingDiagnostics: Identifiable, Sendable {
  /// The type of the cell, such as `BindableActor<Int>`, or the operator that made it, such as `combineLatest`.
  public let kind: String
  /// The name of the cell, from its initializer or from `named(_:)`; nil if it has none.
  public let name: String?
  /// Where the cell was created; nil if an operator made it.
  public let location: CodeLocation?
  /// The number of updates.
  public let version: UInt64
  /// Whether the cell has ended.
  public let isFinished: Bool
  /// Whether the actor that owns the cell lives. If it does not, only readers keep the memory of the cell.
  public let hasOwner: Bool
  /// The observations, in no order.
  public let observers: [Observer]
  /// The loops, and the streams that no loop iterates yet, as far as ``isRecording`` was true when they began.
  public let streams: [Stream]
  /// The number of loops and streams that began while ``isRecording`` was false.
  public let unrecordedStreamCount: Int
  /// The number of loops and streams without a record whose backlog is `.unbounded`. What the cell keeps for them is not
  /// known.
  public let unrecordedUnboundedCount: Int
  /// The number of updates that the cell keeps at least: what its observers, its recorded loops and streams, and the
  /// cells that are derived from it need. Loops and streams without a record may need more.
  public let keptUpdateCount: Int
  /// The number of waits for the end of the cell.
  public let endWaiterCount: Int
  /// The number of calls that wait: of a ``LoadingCell`` for its content, or of an ``AsyncAction`` for their turn. Zero for
  /// other cells.
  public private(set) var waitingCallCount: Int
  /// All cells that operators have made from this cell, as far as they have readers, also those that ``derived`` of
  /// another cell describes.
  public let derivations: [Derivation]
  /// Describes the cells that operators have made from this cell, as far as they have readers. A cell that is derived
  /// from several cells of the tree appears once.
  public let derived: [BindingDiagnostics]

  /// The identity of the cell while it lives.
  public let id: ObjectIdentifier

  /// An observation, or a binding.
  public struct Observer: Hashable, Sendable {
    /// Where `observe` or `bind` was called; nil if the library did so.
    public let location: CodeLocation?
    /// Where the handler runs, such as `the queue com.example.log`.
    public let context: String
    /// The number of values that may wait for the handler.
    public let backlog: Backlog
    /// Whether the context is calling handlers of this cell.
    public let isBusy: Bool
    /// The number of updates since the newest one that the handler has received or skipped.
    ///
    /// While the context is busy, this counts the updates since the newest one that all handlers of the context are done
    /// with. So it is too high for a handler that has had its call.
    public let lag: UInt64
    /// Whether the observation ends with an owner, and not with its token. An owner that has died unnoticed counts,
    /// because no other thread may look.
    public let endsWithOwner: Bool
  }

  /// A loop, or a stream that no loop iterates yet.
  public struct Stream: Hashable, Sendable {
    /// Where `values(backlog:)` was called. Nil if the backlog is `.latest`, because such a stream keeps nothing, and if
    /// the stream was made before it could be recorded.
    public let location: CodeLocation?
    /// The name of the task that began the loop, or made the stream.
    public let taskName: String?
    /// The number of values that may wait for the loop.
    public let backlog: Backlog
    /// Whether a loop iterates the stream.
    public let isIterated: Bool
    /// The number of updates since the newest one that the loop is done with, or has skipped.
    public let lag: UInt64
  }

  /// A cell that an operator has made from the described cell.
  public struct Derivation: Hashable, Sendable, Identifiable {
    /// The operator, such as `combineLatest`.
    public let kind: String
    /// The number of updates of the described cell that it keeps because the derived cell has not read them. Zero for a
    /// relay that is reading at this moment.
    public let keptUpdateCount: Int
    /// The line of the reader of the derived cell for which the updates are kept. Nil if no reader is known, or if the
    /// operator reads by itself, as `delay` does.
    public let slowestReader: String?
    /// The identity of the derived cell while it lives.
    public let id: ObjectIdentifier
  }
}

// MARK: - Asking

extension BindableCell {
  /// Describes the readers of the cell at this moment, and what the cell keeps for them.
  ///
  /// The time is proportional to the number of observers, and of all loops and streams that are recorded.
  ///
  /// It takes the lock of the cell for short times, once for several hundred observers. So it describes no single
  /// instant if threads change the cell meanwhile.
  public nonisolated var diagnostics: BindingDiagnostics { cursor.cell.diagnostics }

  /// Gives the cell a name, which diagnostics show, and returns the cell. A cell with a name is among
  /// ``BindingDiagnostics/all()``.
  ///
  /// ```swift
  /// let prices = BindableActor(0.0).named("prices")
  /// ```
  ///
  /// The initializers take the name too: `BindableActor(0.0, name: "prices")`.
  @discardableResult
  public nonisolated func named(_ name: String) -> Self {
    cursor.cell.record(as: name)
    return self
  }
}

extension EventSource {
  /// Describes the readers of the source at this moment: see `diagnostics` of ``BindableCell``.
  public var diagnostics: BindingDiagnostics { cell.diagnostics }

  /// Gives the source a name, which diagnostics show, and returns the source.
  @discardableResult
  public func named(_ name: String) -> Self {
    cell.named(name)
    return self
  }
}

extension LoadingCell {
  /// Describes the readers of the cell at this moment, and the calls that wait: see `diagnostics` of ``BindableCell``.
  public var diagnostics: BindingDiagnostics { phases.diagnostics.withWaitingCalls(loader.waitingCount) }

  /// Gives the cell a name, which diagnostics show, and returns the cell.
  @discardableResult
  public func named(_ name: String) -> Self {
    phases.named(name)
    phases.cell.addToRecord(loader.waitingCalls)
    return self
  }
}

extension AsyncAction {
  /// Describes the readers of `isExecuting` and of `isEnabled` at this moment, and the calls that wait: see `diagnostics`
  /// of ``BindableCell``.
  public var diagnostics: BindingDiagnostics {
    queue.isExecuting.diagnostics.withWaitingCalls(queue.waitingCount)
  }

  /// Gives the action a name, which diagnostics show, and returns the action.
  @discardableResult
  public func named(_ name: String) -> Self {
    queue.isExecuting.named(name)
    queue.isExecuting.cell.addToRecord(queue.waitingCalls)
    return self
  }
}

extension BindingDiagnostics {
  fileprivate func withWaitingCalls(_ count: Int) -> BindingDiagnostics {
    var diagnostics = self
    diagnostics.waitingCallCount = count
    return diagnostics
  }

  /// Whether each new cell, loop and stream is recorded. False at first.
  ///
  /// A record costs an entry in a table where a cell or a loop begins and ends, and for each value of a loop a look into
  /// that table. Observers need no record.
  public static var isRecording: Bool {
    get { Tracking.recordsReaders }
    set { Tracking.turn(on: newValue) }
  }

  /// The living cells that have a name, or that were created while ``isRecording`` was true. Cells that operators have
  /// made are in ``derived`` of these. Sorted by where they were created.
  public static func all() -> [BindingDiagnostics] {
    let streams = ReaderRecord.byCell
    let cells = CellRecord.all.all.compactMap(\.record.cell)
    return cells.map { $0.diagnostics(streams) }.sorted { first, second in
      guard let left = first.location, let right = second.location else { return second.location != nil }
      return (left.fileID, left.line, first.name ?? "") < (right.fileID, right.line, second.name ?? "")
    }
  }
}
