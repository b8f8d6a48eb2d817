/// The loops that follow a store, one for each scope that cells of this process follow.
///
/// A store declares one as `let followers = StoreFollowers()`; only the library uses it.
public final class StoreFollowers: Sendable {
  let time: Timeline

  /// Creates the loops of a store: none yet.
  ///
  /// - Parameter clock: The clock by which the loops wait.
  public init(clock: some Clock<Duration> = ContinuousClock()) {
    time = Timeline(clock)
  }
}
