import ActorBindings

/// W23: sources whose types are hidden, and parts of a cell, with a handler in place.
enum Hiding {
  static let workloads = [erased, part]

  private static let here = DeliveryContext.immediate

  private static let erased = Workload(
    "W23.erased",
    "Every value through map and filter, whose types are hidden, to one observer in place",
    per: "value",
    comparedTo: "closure under a Mutex",
    [
      .ours("erased()", 500_000) { n in
        let cell = BindableActor(-1)
        let source: AnyBindingSource<Int> = cell.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &- 1 }.erased()
        return try CallingInPlace.deliver(n) {
          [source.observe(on: here, backlog: .unbounded, $0.handler)]
        } send: {
          cell.send($0)
        }
      },
      .ours("the same with its type", 500_000) { n in
        let cell = BindableActor(-1)
        let source = cell.map { $0 &+ 1 }.filter { $0 > 0 }.map { $0 &- 1 }
        return try CallingInPlace.deliver(n) {
          [source.observe(on: here, backlog: .unbounded, $0.handler)]
        } send: {
          cell.send($0)
        }
      },
      .baseline("closure under a Mutex", 2_000_000) { n in try CallingInPlace.byHand(n, LockedClosures()) },
    ]
  )

  private struct Settings: Sendable {
    var name = ""
    var volume = -1
  }

  private static let part = Workload(
    "W23.lens",
    "A write of one part of a cell, with one observer of that part in place",
    per: "write",
    comparedTo: "closure under a Mutex",
    [
      .ours("lens", 200_000) { n in
        let settings = BindableActor(Settings())
        let volume = settings.lens(\.volume)
        let sample = try CallingInPlace.deliver(n) {
          [volume.observe(on: here, backlog: .unbounded, $0.handler)]
        } send: {
          volume.send($0)
        }
        try expect(settings.value.volume, equals: n - 1, "the part")
        return sample
      },
      .baseline("closure under a Mutex", 2_000_000) { n in try CallingInPlace.byHand(n, LockedClosures()) },
    ]
  )
}
