import ActorBindings
import Dispatch

/// State that two threads write to, without a lock and without a cell.
private final class Unprotected: @unchecked Sendable {
  var word = 0
}

/// Makes data races in the client, between uses of the library. The annotations of the library must not hide them.
///
/// The sanitizer may miss the race of one round, so there are many rounds. The sanitizer should end the program at the
/// first race that it sees. Sometimes it misses all races, so `.ci/run client` tries several times.
func race() async {
  for _ in 0..<200 { await raceOnce() }
}

// Races on two queues. Each queue has a thread of its own, and each thread waits until both have begun.
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
