import ActorBindings
import Dispatch

/// State that two threads write to, without a lock and without a cell.
private final class Unprotected: @unchecked Sendable {
  var word = 0
}

/// A data race in the client, between uses of the library. The annotations of the library must not hide it.
///
/// The sanitizer may miss a race in one round, so there are many. It should end the program at the first one that it sees.
/// Sometimes it misses all of them, so `.ci/run client` tries several times.
func race() async {
  for _ in 0..<200 { await raceOnce() }
}

// Each queue has a thread of its own, and neither begins before the other has.
private func raceOnce() async {
  let unprotected = Unprotected()
  let cell = BindableActor(0)
  let (begun, ended) = (BindableActor(0), BindableActor(0))
  for name in ["left", "right"] {
    DispatchQueue(label: name).async {
      begun.modify { $0 += 1 }
      while begun.value < 2 {}
      for turn in 1...100 {
        cell.send(turn)
        unprotected.word = turn
      }
      ended.modify { $0 += 1 }
    }
  }
  _ = await ended.first { $0 == 2 }
  check(unprotected.word == 100, "a thread that has waited for both sees what they wrote")
}
