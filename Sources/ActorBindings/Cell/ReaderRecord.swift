internal import Synchronization

/// What diagnostics record of a loop, or of a stream that no loop iterates yet.
package final class ReaderRecord: Sendable {
  /// The cell that the reader reads.
  package let cell: ObjectIdentifier
  package let site: CallSite
  package let depth: UInt32
  /// The name of the task that began to read; nil if it had none.
  package let taskName: String?
  /// The stream, if no loop had begun when the record was made.
  package let stream: WeakStream?
  private let seenVersion: Atomic<UInt64>

  /// The records of all such readers that live.
  package static let all = ObjectTable<ReaderRecord>()

  fileprivate init(_ cell: AnyCell, _ site: CallSite, depth: UInt32, seen: UInt64, stream: WeakStream? = nil)
  {
    self.cell = ObjectIdentifier(cell)
    self.site = site
    self.depth = depth
    self.stream = stream
    seenVersion = Atomic(seen)
    taskName = Self.currentTaskName
  }

  /// The newest version that the loop is done with, or has skipped.
  package fileprivate(set) var seen: UInt64 {
    get { seenVersion.load(ordering: .relaxed) }
    set { seenVersion.store(newValue, ordering: .relaxed) }
  }

  private static var currentTaskName: String? {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { Task.name } else { nil }
  }

  /// A reference to a stream that does not keep it alive.
  package struct WeakStream: Sendable {
    private weak let position: AnyReservedPosition?

    fileprivate init(_ position: AnyReservedPosition) {
      self.position = position
    }

    /// Whether the stream still holds its position: no loop iterates it yet.
    package var isWaiting: Bool { position?.isFree ?? false }
  }
}

extension Waiter {
  /// Makes a record of a reader that begins.
  @usableFromInline
  package final func makeRecord(at site: CallSite, in cell: AnyCell, depth: UInt32, seen: UInt64) {
    ReaderRecord.all.set(ReaderRecord(cell, site, depth: depth, seen: seen), for: ObjectIdentifier(self))
  }

  /// The reader has come to `version`.
  @usableFromInline
  package final func noteProgress(_ version: UInt64) {
    ReaderRecord.all[ObjectIdentifier(self)]?.seen = version
  }

  /// The reader has ended.
  @usableFromInline
  package final func forgetRecord() {
    ReaderRecord.all.remove(ObjectIdentifier(self))
  }
}

extension AnyReservedPosition {
  /// Makes a record of a stream that no loop iterates yet.
  @usableFromInline
  package final func record(at site: CallSite, in cell: AnyCell, depth: UInt32) {
    let seen = recorded()
    let record = ReaderRecord(
      cell,
      site,
      depth: depth,
      seen: seen,
      stream: ReaderRecord.WeakStream(self)
    )
    ReaderRecord.all.set(record, for: ObjectIdentifier(self))
  }

  /// Where the stream was made, if there is a record of it.
  @usableFromInline
  package final var recordedSite: CallSite? { ReaderRecord.all[ObjectIdentifier(self)]?.site }

  @usableFromInline
  final func forgetRecord() {
    ReaderRecord.all.remove(ObjectIdentifier(self))
  }
}
