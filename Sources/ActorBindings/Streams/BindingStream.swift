/// The values of a source, for `for await` loops: as many as there are, each on its own.
///
/// ```swift
/// for await name in user.map(\.name).values {
///   …
/// }
/// ```
///
/// Each iterator begins with the current value, and ends when its cell or its task does. It keeps the cell's
/// memory, not the cell.
///
/// A stream whose backlog is not `.latest` begins where it was made: its first iterator misses nothing that was
/// sent in between. Later iterators begin with the value that is current then. Until it is iterated such a stream counts as
/// an observer of the cell, since it holds what its iterator is to be handed.
public struct BindingStream<Cursor: BindingCursor>: AsyncSequence, Sendable {
  /// What a loop is handed.
  public typealias Element = Cursor.Element
  /// A stream does not fail.
  public typealias Failure = Never

  @usableFromInline let cursor: Cursor
  @usableFromInline let depth: UInt32
  @usableFromInline let pin: Pin<Cursor.Origin>?

  @inlinable
  init(_ cursor: Cursor, backlog: Backlog) {
    self.cursor = cursor
    depth = backlog.depth
    pin = backlog == .latest ? nil : Pin(cursor.root.cell, depth: depth)
  }

  /// An iterator of its own for the loop that asks. It counts as an observer of the cell while it lives.
  @inlinable
  public func makeAsyncIterator() -> Iterator {
    Iterator(cursor, depth: depth, pin: pin)
  }

  /// Hands one loop its elements. Only one task may use it at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let reader: StreamReader<Cursor>

    @inlinable
    init(_ prototype: Cursor, depth: UInt32, pin: Pin<Cursor.Origin>?) {
      var cursor = prototype
      cursor.root.place = cursor.root.cell.beginReading(depth: depth, pin: pin)
      reader = StreamReader(cursor)
    }

    // Always inlined: the call of an async function costs more than an element that is there.
    /// The next element; waits for it on the isolation of the caller. Nil when the cell has ended and all was
    /// handed out, or at once when the task is cancelled.
    @inlinable @inline(__always)
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
      let reader = reader
      // Not a precondition: its message is lost in release builds.
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

// One task at a time.
@available(*, unavailable)
extension BindingStream.Iterator: Sendable {}

extension BindingSource {
  /// The current value and each later one, for `for await` loops. A loop that is busy skips to the newest.
  @inlinable
  public var values: BindingStream<Cursor> {
    values(backlog: .latest)
  }

  /// The current value and each later one, for `for await` loops.
  ///
  /// ```swift
  /// let all = cell.values(backlog: .unbounded)      // begins here
  /// Task { for await value in all { … } }           // and misses nothing
  /// ```
  ///
  /// - Parameter backlog: How many values may wait while a loop is busy.
  @inlinable
  public func values(backlog: Backlog) -> BindingStream<Cursor> {
    BindingStream(cursor, backlog: backlog)
  }

  /// The same as `values(backlog:)`, with version and number of skipped updates.
  ///
  /// - Parameter backlog: How many updates may wait while a loop is busy.
  @inlinable
  public func updates(backlog: Backlog = .latest) -> BindingStream<VersionedCursor<Cursor>> {
    versioned().values(backlog: backlog)
  }
}
