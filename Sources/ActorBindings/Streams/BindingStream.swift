/// The values of a source, for any number of `for await` loops, each independent of the others.
///
/// ```swift
/// for await name in user.map(\.name).values {
///   …
/// }
/// ```
///
/// Each iterator begins with the current value, and ends when the cell ends or the task is cancelled. An iterator does
/// not keep the cell alive, only the cell's memory: if nothing else holds the cell, the cell ends.
///
/// A stream whose backlog is not `.latest` takes its position when it is created. So, as far as the backlog reaches,
/// its first iterator receives the value that was current when the stream was created, and all later values. Each later
/// iterator begins with the value that is current when that iterator is created. Until it is iterated, such a stream
/// counts as an observer of the cell, because it holds the values that its first iterator will receive.
public struct BindingStream<Cursor: BindingCursor>: AsyncSequence, Sendable {
  /// The type of the elements that a loop receives.
  public typealias Element = Cursor.Element
  /// The type of error that a stream throws. It is `Never`, because a stream does not fail.
  public typealias Failure = Never

  @usableFromInline let cursor: Cursor
  @usableFromInline let depth: UInt32
  @usableFromInline let reserved: AnyReservedPosition?

  @inlinable
  init(_ cursor: Cursor, backlog: Backlog, site: CallSite) {
    self.cursor = cursor
    depth = backlog.depth
    reserved = backlog == .latest ? nil : Self.reserve(cursor, depth: depth, site)
  }

  // Never inlined: the frame of a task that makes a stream would keep the room that this function needs.
  @inlinable
  @inline(never)
  static func reserve(_ cursor: Cursor, depth: UInt32, _ site: CallSite) -> AnyReservedPosition {
    let reserved = cursor.root.reserved(depth: depth)
    if Tracking.recordsReaders { reserved.record(at: site, in: cursor.root.cell, depth: depth) }
    return reserved
  }

  /// Creates an iterator for one loop. The iterator counts as an observer of the cell while it lives.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(cursor, depth: depth, reserved: reserved)
  }

  /// The iterator of one loop. Only one task may use it at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let reader: StreamReader<Cursor>

    @inlinable
    @inline(__always)
    init(_ prototype: Cursor, depth: UInt32, reserved: AnyReservedPosition?) {
      reader = StreamReader.begin(prototype, depth: depth, reserved: reserved)
    }

    // Always inlined, because the call of an async function costs more than reading an element that is ready.
    /// Waits for the next element, on the isolation of the caller. Returns nil when the cell has ended and the loop has
    /// received everything, or at once when the task is cancelled.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      let reader = reader
      // Not a precondition, because release builds drop the message of a precondition.
      if reader.pace.isAdvancing {
        fatalError("One iterator of a BindingStream is used by two tasks at once.")
      }
      reader.pace.isAdvancing = true
      defer { reader.pace.isAdvancing = false }

      while true {
        switch reader.advance() {
        case .element(let element): return element
        case .yield: await Task.yield()
        case .park(let version): await reader.park(in: reader.cell, after: version)
        case .end: return nil
        }
      }
    }
  }
}

// Only one task may use an iterator at a time.
@available(*, unavailable)
extension BindingStream.Iterator: Sendable {}

extension BindingSource {
  /// The current value and each later value, for `for await` loops. A loop that is busy with a value skips to the
  /// newest value afterwards.
  @inlinable
  public var values: BindingStream<Cursor> {
    BindingStream(cursor, backlog: .latest, site: CallSite())
  }

  /// Returns the current value and each later value, for `for await` loops.
  ///
  /// ```swift
  /// let all = cell.values(backlog: .unbounded)      // begins here
  /// Task { for await value in all { … } }           // and misses nothing
  /// ```
  ///
  /// - Parameters:
  ///   - backlog: The number of values that may wait while a loop is busy.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public func values(
    backlog: Backlog,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingStream<Cursor> {
    BindingStream(cursor, backlog: backlog, site: CallSite(fileID, line))
  }

  /// Returns the current value and each later value, each with its version and the number of skipped updates, for
  /// `for await` loops.
  ///
  /// - Parameters:
  ///   - backlog: The number of updates that may wait while a loop is busy.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  @inlinable
  public func updates(
    backlog: Backlog = .latest,
    fileID: StaticString = #fileID,
    line: UInt = #line
  ) -> BindingStream<some BindingCursor<Update<Value>>> {
    versioned().values(backlog: backlog, fileID: fileID, line: line)
  }
}
