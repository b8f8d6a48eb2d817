import ActorBindings

/// State that two threads write to, without a lock and without a cell.
private final class Unprotected: @unchecked Sendable {
  var last = 0
}

/// A data race in the client, between uses of the library. What the library tells the sanitizer must not hide it.
func race() async {
  let cell = BindableActor(0)
  let unprotected = Unprotected()
  await concurrently(2) { task, turn in
    cell.send(turn)
    unprotected.last = turn
  }
}
