/// What a store accepts, and how long its connections may be silent.
public struct StoreLimits: Hashable, Sendable {
  /// The largest number of bytes of one entry.
  public var bytesPerEntry: Int
  /// The largest number of UTF-8 bytes of a key.
  public var bytesPerKey: Int
  /// The shortest ttl of a lease.
  public var shortestTTL: Duration
  /// The time within which the loop of a subscription must notice a lost connection; nil if a lost connection never
  /// goes unnoticed. If a subscription has been silent for two thirds of this time, the loop opens another one. Cells
  /// whose loop has heard nothing from the store for the whole time say that they are stale.
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
