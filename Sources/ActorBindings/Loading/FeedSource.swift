/// A source that follows a feed while it has readers.
///
/// ```swift
/// let ticks = feed(keepingOpen: .seconds(5), retry: .backoff()) {
///   try await exchange.subscribe("ACME")
/// }
///
/// let token = ticks.observe { show($0) }  // opens the feed
/// // Reads the same feed:
/// for await tick in ticks.values(backlog: .unbounded) { … }
/// ```
///
/// The first reader opens the feed. All readers of one returned source, and of its copies, share it. When the last
/// reader has left, and none has come back for the time `keepingOpen`, the feed is cancelled and the last element is
/// forgotten. A reader that comes later opens the feed again. At most one feed is open at a time: the next one is opened
/// when the task of the last one has ended. So a feed that ignores the cancellation of its task delays the next one.
///
/// A reader starts with the newest element, or waits for the first one. After a failure, this asks `retry` for a delay
/// and opens the feed again, as `follow(retry:…)` of a cell does; meanwhile the last element stays. The source ends when
/// a sequence ends without an error, or when the policy gives up. After that, no reader opens the feed again.
///
/// To have a state that follows the feed only while it is read, use
/// `feed(…).orInitially(…)`. A cell that is made by `BindableActor(initially:of:)` reads as long as the cell lives.
///
/// - Parameters:
///   - time: The time for which the feed stays open without readers. Choose it longer than a reader needs to come back:
///     a view that is rebuilt, or a client that connects again.
///   - retry: Decides after each failure whether to try again, and when. The default gives up at once.
///   - clock: Measures the delays and `time`.
///   - reopensAtEnd: Whether a sequence that ends without an error counts as a failure too. Then `retry` is asked with
///     the error ``FeedEnded``.
///   - link: A cell that shows the state of the link: `idle` while the feed has no readers, and otherwise as with
///     `follow(retry:…)`.
///   - open: Opens the feed, in a detached task. It should end when its task is cancelled, and so should the sequence
///     that it returns.
///   - onEnd: Called each time the feed has been closed, with the reason: `cancelled` if the last reader has left.
public func feed<Elements: AsyncSequence & SendableMetatype>(
  keepingOpen time: Duration = .zero,
  retry: RetryPolicy = .never,
  clock: any Clock<Duration> = ContinuousClock(),
  reopensAtEnd: Bool = false,
  link: BindableActor<LinkState>? = nil,
  opening open: @escaping @Sendable () async throws -> sending Elements,
  onEnd: @escaping @Sendable (FollowOutcome) -> Void = { _ in }
) -> some BindingSource<Elements.Element> where Elements.Element: Sendable {
  let feed = Feed(open: open, retry: retry, clock: clock, reopensAtEnd: reopensAtEnd, link: link?.cell)
  let line = FeedLine()
  return DerivedSource(
    RelayCursor("feed", lingering: time > .zero ? lingerTimer(time, clock) : nil) { writer, _ in
      FeedDriver(writer, line).start(feed, onEnd)
    }
  )
}

private func lingerTimer(_ time: Duration, _ clock: some Clock<Duration>) -> LingerTimer {
  ClockLingerTimer(time, clock)
}

/// Writes the elements of a feed to a relay's cell. The driver of `feed`: it reads no cell.
private final class FeedDriver<Element: Sendable>: RelayDriver {
  private let writer: RelayWriter<Element>
  private let line: FeedLine
  private let following = SequenceFollowing()
  private let run = FeedRun()

  init(_ writer: RelayWriter<Element>, _ line: FeedLine) {
    self.writer = writer
    self.line = line
  }

  var currentReaders: [RelayReader] { [] }

  /// Opens the feed, if the writer opens.
  func start<Elements: AsyncSequence & SendableMetatype>(
    _ feed: Feed<Elements>,
    _ onEnd: @escaping @Sendable (FollowOutcome) -> Void
  ) where Elements.Element == Element {
    guard writer.open(by: self) else { return }
    let previous = line.begin(run)
    feed.clock.willBeUsed(by: writer.cell)
    // The task holds the driver, and so the relay's cell, until the feed is closed.
    following.start(in: writer.cell) {
      await previous?.ended()
      let outcome = await self.following.write(feed) { self.writer.send($0) }
      self.close(feed.link, outcome)
      onEnd(outcome)
      self.run.end()
    }
  }

  private func close(_ link: Cell<LinkState>?, _ outcome: FollowOutcome) {
    if case .cancelled = outcome {
      link?.send(.idle)
    } else {
      link?.send(.ended(outcome))
      writer.finish()
    }
  }

  // Called from any thread. To cancel a task runs its cancellation handlers, which are user code, so another thread
  // does that.
  func stop() {
    let record = CellTask.started(for: writer.cell)
    Task.detached {
      self.following.cancel()
      record?.ended()
    }
  }
}

/// The newest run of a feed, so that the next run can wait for its end.
// @unchecked: guarded by `lock`.
private final class FeedLine: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var newest: FeedRun?

  /// Returns the run before `run`.
  func begin(_ run: FeedRun) -> FeedRun? {
    lock.withLock {
      defer { newest = run }
      return newest
    }
  }
}

/// One run of a feed: from the first reader until the feed is closed.
// @unchecked: guarded by `lock`.
private final class FeedRun: @unchecked Sendable {
  private let lock = Lock()
  // Guarded by `lock`.
  private var isOver = false
  // Guarded by `lock`. Only one task waits: that of the next run.
  private var waiting: Resumption?

  func end() {
    let resumption = lock.withLock {
      isOver = true
      return waiting.take()
    }
    resumption?.resume()
  }

  /// Waits until the run has ended.
  func ended() async {
    await Resumption.suspend { resumption in
      lock.withLock {
        if isOver { return false }
        waiting = resumption
        return true
      }
    }
  }
}
