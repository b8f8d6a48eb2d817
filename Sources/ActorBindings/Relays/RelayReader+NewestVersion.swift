extension RelayReader {
  /// The newest version of the source. It includes everything that was written to the source before the call.
  @usableFromInline
  final var newestVersion: UInt64 {
    if let upstream = source.upstream, upstream.isPulled { upstream.bringUpToDate(source) }
    return source.watermark.version
  }

  /// As `newestVersion`. If the source is a cell that user code writes, this waits for a writer that is at work, too.
  @usableFromInline
  final var newestVersionUnderLock: UInt64 {
    if let upstream = source.upstream, upstream.isPulled { upstream.bringUpToDate(source) }
    return source.version
  }
}
