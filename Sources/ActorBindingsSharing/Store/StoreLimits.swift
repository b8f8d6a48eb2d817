/// What a store accepts, and how long its connections may be silent.
public struct StoreLimits: Hashable, Sendable {
  /// The largest number of bytes of one entry.
  public var bytesPerEntry: Int
  /// The largest number of UTF-8 bytes of a key.
  public var bytesPerKey: Int
  /// The shortest ttl of a lease.
  public var shortestTTL: Duration
  /// The time for which a subscription may be silent before its loop opens another one; nil if a lost connection never
  /// goes unnoticed.
  public var idleLimit: Duration?

  /// Creates limits.
  public init(
    bytesPerEntry: Int = 1 << 20,
    bytesPerKey: Int = 1024,
    shortestTTL: Duration = .seconds(1),
    idleLimit: Duration? = nil
  ) {
    self.bytesPerEntry = bytesPerEntry
    self.bytesPerKey = bytesPerKey
    self.shortestTTL = shortestTTL
    self.idleLimit = idleLimit
  }
}
