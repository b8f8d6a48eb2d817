import ActorBindings
import Testing

private struct Broken: Error {}

private final class Screen: LoadingTarget {
  var faces: [String] = []

  func showIdle() { faces.append("idle") }

  func showLoading(_ attempt: LoadingAttempt, last: String?) {
    faces.append("loading \(attempt.number), \(last ?? "nothing")")
  }
  func showContent(_ content: String) { faces.append(content) }
  func showFailure(_ error: any Error, last: String?) { faces.append("\(error), \(last ?? "nothing")") }
}

@MainActor @Suite struct LoadingTargetTests {
  @Test func `a target shows each state, on the caller's isolation, while it is alive`() async {
    let (gate, result) = (Box<Gate>(Gate()), Box<Result<String, any Error>>())
    let cell = LoadingCell { () async throws -> String in
      await gate.value?.passed()
      return try result.value?.get() ?? "nobody"
    }
    do {
      let screen = Screen()
      cell.consumeLoading(by: screen)
      #expect(screen.faces == ["idle"])
      for next in [.failure(Broken()), .success("ann"), .failure(Broken())] as [Result<String, any Error>] {
        result.value = next
        cell.startReloading()
        await eventually { screen.faces.last?.hasPrefix("loading") == true }
        gate.value?.open()
        await eventually { screen.faces.last?.hasPrefix("loading") == false }
        gate.value = Gate()
      }
      #expect(
        screen.faces == [
          "idle", "loading 1, nothing", "Broken(), nothing", "loading 1, nothing", "ann", "loading 1, ann",
          "Broken(), ann",
        ]
      )
    }
    // No target is bound any more.
    gate.value?.open()
    _ = try? await cell.reload()
    await eventually { cell.observerCount == 0 }
  }

  @Test func `a first load that is cancelled calls showIdle`() async {
    let gate = Gate()
    let cell = LoadingCell { () async -> String in
      await gate.passed()
      return "ann"
    }
    let screen = Screen()
    cell.consumeLoading(by: screen)
    cell.startLoading()
    await eventually { screen.faces.last == "loading 1, nothing" }
    cell.cancel()
    await eventually { screen.faces.last == "idle" }
    gate.open()
  }

  @Test func `the content can be mapped`() {
    #expect(LoadingPhase.loaded(2).map { $0 + 1 }.content == 3)
    #expect(LoadingPhase.failed(Broken(), last: 2).map { $0 + 1 }.content == 3)
    #expect("\(LoadingPhase<Int>.failed(Broken(), last: nil).map { $0 + 1 })" == "failed: Broken()")
    #expect("\(LoadingPhase<Int>.idle.map { $0 + 1 })" == "idle")
  }
}
