/// What the rows of the table mean, with the numbers of the promises.
let meaning = """
  Each row checks promises of the article Guarantees.md in Sources/ActorBindings/ActorBindings.docc:
  - writers: each write took effect once, and none after finish (G1, G11).
  - loops, .latest and .bounded: each has the last value, and knows exactly what it skipped (G3, G5; ChoosingABacklog.md).
  - loops, .unbounded: each has every version, in order (G2, G4).
  - on a queue, an actor, the main actor: a handler has what such a loop has, and runs only there (G7; DeliveryContexts.md).
  - bound label: the property shows the last value, and no code awaited it (G3; TheBinder.md).
  - owner that died: its observation ended with it, and nothing unsubscribed (G9; Gotchas.md).
  """

/// Where to go next. CI expects this line at the end.
let next =
  "Next: swift run LiveBoard shows cells in a browser. The article GettingStarted.md builds a small service."
