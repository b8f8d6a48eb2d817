import ActorBindings

/// A clock that stands still. Its sleeps end when a test says that their time has passed.
final class TestClock: Clock {
  struct Instant: InstantProtocol, Sendable {
    var offset: Swift.Duration

    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  /// The number of sleeps that have begun.
  let sleeps = BindableActor(0)
  /// The time for which the newest of them was to last.
  let newestSleep = BindableActor(Duration.zero)
  private let passes = BindableActor(0)

  var now: Instant { Instant(offset: .zero) }
  var minimumResolution: Swift.Duration { .zero }

  func sleep(until instant: Instant, tolerance: Swift.Duration?) async throws {
    let begin = passes.value
    newestSleep.send(now.duration(to: instant))
    sleeps.modify { $0 += 1 }
    guard await passes.first(where: { $0 > begin }) != nil else { throw CancellationError() }
  }

  /// Ends all sleeps that have begun.
  func pass() {
    passes.modify { $0 += 1 }
  }
}
