import ActorBindings

/// A loop that receives a thousand values. The loop runs on a pump, so that all its costs are counted on this thread.
enum FedLoop {
  /// When the loop runs.
  enum Turn {
    /// After each value, so that the next value finds the loop parked.
    case eachTime
    /// After the last value of a burst.
    case atTheEnd
  }

  /// Counts the costs of `work` for each of `n` values. Part of the work runs on `pump`.
  typealias Counting = (_ n: Int, _ pump: Pump, _ work: () -> Void) -> Double

  static func cell(_ backlog: Backlog, _ turn: Turn, _ counting: Counting) throws -> Double {
    let cell = BindableActor(-1)
    return try count(turn, counting) { tally in
      for await value in cell.values(backlog: backlog) { tally.receive(value) }
    } sending: {
      cell.send($0)
    } ending: {
      cell.finish()
    }
  }

  static func asyncStream(_ turn: Turn, _ counting: Counting) throws -> Double {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    return try count(turn, counting) { tally in
      for await value in stream { tally.receive(value) }
    } sending: {
      continuation.yield($0)
    } ending: {
      continuation.finish()
    }
  }

  static func watch(_ turn: Turn, _ counting: Counting) throws -> Double {
    let watch = Watch(-1)
    return try count(turn, counting) { tally in
      var receiver = watch.receiver()
      while let value = await receiver.next() { tally.receive(value) }
    } sending: {
      watch.send($0)
    } ending: {
      watch.finish()
    }
  }

  private static func count(
    _ turn: Turn,
    _ counting: Counting,
    _ loop: @escaping @Sendable (Tally) async -> Void,
    sending send: @escaping (Int) -> Void,
    ending end: () -> Void
  ) throws -> Double {
    let n = 1000
    let (pump, tally) = (Pump(), Tally(until: n - 1))
    Task(executorPreference: pump) { await loop(tally) }
    pump.run()
    let found = counting(n, pump) {
      for i in 0..<n {
        send(i)
        if turn == .eachTime { pump.run() }
      }
      pump.run()
    }
    end()
    pump.run()
    try tally.expectAll(n)
    return found
  }
}
