extension Row {
  private static let closure = "closure under a Mutex"
  private static let mailbox = "batch mailbox by hand"
  private static let log = "array and a log under a Mutex"
  private static let perKey = "closures by key under a Mutex"

  /// All rows. An aim is a ratio to the floor, because times on a shared machine mean little.
  static let all = delivering + operating + collecting

  private static let delivering = [
    Row(
      "write",
      "A write without readers",
      [
        line("send", "W1.int.pool", "send", floor: "Mutex store", toolchain: ["Mutex store", "actor call"]),
        line(
          "modify",
          "W1.int.pool",
          "modify",
          floor: "Mutex modify",
          toolchain: ["Mutex modify", "actor call"]
        ),
      ]
    ),
    Row(
      "read",
      "A read of the current value",
      [
        line("alone", "W9.alone", "value", floor: "Mutex", toolchain: ["Mutex", "actor call"]),
        line("beside a writer", "W9.writer", "value", floor: "Mutex", toolchain: ["Mutex"], aim: .times(1.7)),
      ]
    ),
    Row(
      "one-observer",
      "One observer that is called for a value",
      [
        line(
          "in place",
          "W21.one",
          "observe",
          floor: closure,
          toolchain: ["actor of closures"],
          aim: .times(5)
        ),
        line("in place, every value", "W21.all", "observe(.unbounded)", floor: closure, aim: .times(5)),
        line("on the cell", "W2.cell.1", "update", floor: "closures", toolchain: ["actor of closures"]),
        line(
          "on a queue, newest",
          "W11.queue",
          "observe",
          floor: "newest value by hand",
          toolchain: ["queue.async per value", "Task per value"]
        ),
      ]
    ),
    Row(
      "many-observers",
      "A delivery, with 1,000 observers",
      [
        line("in place", "W21.1000", "observe", floor: "closures under a Mutex", aim: .times(0.6)),
        line(
          "on a queue",
          "W2.queue.1000",
          "send",
          floor: "batch mailbox of closures",
          toolchain: ["queue.async"],
          aim: .times(0.6)
        ),
        line(
          "loops",
          "W5.loops.1000",
          "values(.unbounded)",
          floor: "batch mailboxes by hand",
          toolchain: ["1,000 AsyncStreams"]
        ),
      ]
    ),
    Row(
      "writers",
      "A write of one of four writers, with one observer",
      [
        line(
          "on a queue",
          "W3.send.4",
          "send",
          floor: closure,
          toolchain: ["actor of closures"],
          aim: .times(2.9)
        )
      ]
    ),
    Row(
      "loop",
      "Every value to one loop",
      [
        line(
          "loop",
          "W4",
          "values(.unbounded)",
          floor: mailbox,
          toolchain: ["AsyncStream", "AsyncStream(bufferingNewest)", "Observations"],
          aim: .times(1.3)
        )
      ]
    ),
    Row(
      "newest",
      "A write at full speed, while one loop takes the newest value",
      [
        line(
          "loop",
          "W6.send.1",
          "send",
          floor: "watch by hand",
          toolchain: ["bufferingNewest(1)", "Observations"]
        )
      ]
    ),
    Row(
      "handover",
      "A hand-over to a suspended loop, and back",
      [
        line(
          "newest",
          "handover",
          "values",
          floor: "bare continuations",
          toolchain: ["AsyncStream"],
          aim: .times(1.3)
        ),
        line(
          "every value",
          "handover",
          "values(.unbounded)",
          floor: "bare continuations",
          toolchain: ["AsyncStream"],
          aim: .times(1.3)
        ),
      ]
    ),
    Row(
      "subscribe",
      "An observer that comes and goes",
      [
        line(
          "in place",
          "W21.subscribe",
          "observe, cancel",
          floor: "dictionary under a Mutex",
          toolchain: ["AsyncStream made, finished"],
          aim: .times(5.6)
        ),
        line(
          "on a queue",
          "W7.observer.0",
          "observe on a queue, cancel",
          floor: "dictionary under a Mutex",
          toolchain: ["a block on a queue"],
          aim: .times(13)
        ),
        line(
          "loop, with its task",
          "W7.stream",
          "values",
          floor: "watch by hand",
          toolchain: ["AsyncStream"]
        ),
      ]
    ),
    Row(
      "every-value",
      "Every value to an observer elsewhere",
      [
        line(
          "on a queue",
          "W11.queue",
          "observe(.unbounded)",
          floor: mailbox,
          toolchain: ["queue.async per value", "Task per value"],
          aim: .times(2.4)
        ),
        line(
          "on the main actor",
          "W11.main",
          "observe(.unbounded)",
          floor: mailbox,
          toolchain: ["Task per value", "DispatchQueue.main.async per value"],
          aim: .times(1.3)
        ),
        line(
          "on an actor",
          "W11.actor",
          "observe(.unbounded)",
          floor: mailbox,
          toolchain: ["actor call per value"],
          aim: .times(1)
        ),
      ]
    ),
  ]

  private static let operating = [
    Row(
      "operators",
      "A value through map, filter, map",
      [
        line(
          "in place, a cell",
          "W21.operators",
          "map.filter.map",
          floor: "by hand, under a Mutex",
          aim: .times(7.5)
        ),
        line(
          "in place, events",
          "W21.events",
          "EventSource.map.filter.map",
          floor: "by hand, under a Mutex",
          aim: .times(7.5)
        ),
        line(
          "loop",
          "W10.streamed",
          "map.filter.map",
          floor: nil,
          toolchain: ["AsyncStream.map.filter.map"]
        ),
      ]
    ),
    Row(
      "combine",
      "A value of a combination of cells",
      [
        line("2 cells, in place", "W21.combine.2", "combineLatest", floor: closure),
        line("4 cells, in place", "W21.combine.4", "combineLatest", floor: closure, aim: .times(27)),
        line("2 cells, on a queue", "W14.woken", "a reader of two cells", floor: "newest value by hand"),
        line(
          "4 cells, on a queue",
          "compared.combine.queue",
          "combineLatest",
          floor: "newest value by hand"
        ),
        line(
          "2 cells, loop",
          "W15.streamed",
          "combineLatest",
          floor: nil,
          aim: .nanoseconds(150)
        ),
        line(
          "4 cells, loop",
          "compared.combine.loop",
          "combineLatest",
          floor: nil
        ),
      ]
    ),
    Row(
      "switch",
      "A switch to another source, and a value after it",
      [
        line("switch, in place", "W17.inPlace.switching", "switchToLatest", floor: closure, aim: .times(136)),
        line("value, in place", "W17.inPlace.values", "switchToLatest", floor: closure, aim: .times(25)),
        line("switch, on a context", "W17.switching", "switchToLatest", floor: closure),
        line("value, on a context", "W17.switchToLatest", "switchToLatest", floor: closure),
        line(
          "value, loop",
          "compared.switch.loop",
          "switchToLatest",
          floor: "closure and batch mailbox by hand"
        ),
      ]
    ),
    Row(
      "debounce",
      "A value that is debounced",
      [
        line(
          "burst of 100, loop",
          "W17.debounce",
          "debounce",
          floor: "one task by hand",
          toolchain: ["a task for each value"],
          aim: .times(3.2)
        ),
        line("burst of 100, in place", "compared.debounce.inPlace", "debounce", floor: "one task by hand"),
        line("burst of 100, on a queue", "compared.debounce.queue", "debounce", floor: "one task by hand"),
        line(
          "each 5 µs, pending",
          "W17.debounce.pending",
          "debounce",
          floor: "one task by hand",
          aim: .times(1.75)
        ),
      ]
    ),
    Row(
      "call",
      "A value through an asynchronous function",
      [
        line("in order, one at a time", "W22.asyncMap.1", "asyncMap", floor: "a task for each value"),
        line("in order, 4 at a time", "W22.asyncMap.4", "asyncMap", floor: "a task for each value"),
        line("the newest only", "W22.mapLatest", "mapLatest", floor: "a task for each value"),
      ]
    ),
    Row(
      "hidden",
      "A value to an observer in place, through a source with a hidden type",
      [
        line("erased map.filter.map", "W23.erased", "erased()", floor: closure),
        line("a part of a cell", "W23.lens", "lens", floor: closure),
      ]
    ),
    Row(
      "transfer",
      "A transfer between two cells",
      [
        line(
          "1 thread",
          "W14.transaction",
          "transaction",
          floor: "a Mutex around each",
          toolchain: ["Mutex around both", "actor call"],
          aim: .times(3.5)
        ),
        line(
          "2 threads",
          "W14.threads",
          "transaction",
          floor: "a Mutex around each",
          toolchain: ["actor call"],
          aim: .times(3.1)
        ),
        line("observer of both, in place", "W21.transaction", "transaction", floor: closure, aim: .times(31)),
      ]
    ),
  ]

  private static let collecting = [
    Row(
      "key",
      "A key of a dictionary, each key of which is watched",
      [
        line("set, in place", "W19.inPlace", "a key", floor: perKey, aim: .times(5.6)),
        line("bind, in place", "W19.bind", "a key", floor: perKey, aim: .times(14.3)),
        line("bind, on a context", "compared.key.bind", "a key", floor: perKey),
        line("set, on a context", "W19.watched", "one of 100,000 keys", floor: perKey),
        line("set, loop", "W19.loops", "one of 100,000 keys", floor: "continuations by key under a Mutex"),
      ]
    ),
    Row(
      "edit",
      "An edit of an array that a reader is told",
      [
        line("of 1,000, in place", "W18.told.1000", "changes", floor: log, aim: .times(22)),
        line("of 100,000, in place", "W18.told.100000", "changes", floor: log, aim: .times(25)),
        line(
          "of 100,000, on a context",
          "W18.each",
          "changes",
          floor: log,
          toolchain: ["arrays through an AsyncStream"]
        ),
        line("of 100,000, loop", "compared.edit.loop", "changes", floor: log),
      ]
    ),
    Row(
      "owner",
      "An owner of an observer that dies",
      [
        line("with its bag", "W12.bag", "bag", floor: "token in deinit, dictionary", aim: .times(1.6)),
        line("found dead", "W12.weak", "update", floor: "array of weak references", aim: .times(2.1)),
      ]
    ),
    Row(
      "bytes",
      "The memory of an idle reader, in bytes",
      [
        bytes("observer", "bytes.observer", floor: "dictionary under a Mutex", aim: .bytes(208)),
        bytes("stream", "bytes.stream", aim: .bytes(96)),
        bytes(
          "parked loop",
          "bytes.parked",
          floor: "watch by hand",
          toolchain: ["AsyncStream"],
          aim: .bytes(96)
        ),
        bytes("loop over map.filter.map", "bytes.parked.operators"),
        bytes("loop over a merge", "bytes.parked.merge", aim: .bytes(6_000)),
        bytes("loop over a throttle", "bytes.parked.throttle"),
        bytes("loop over a switch of a merge", "bytes.parked.switch"),
      ]
    ),
  ]
}
