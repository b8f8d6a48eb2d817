import ActorBindings
import Dispatch
import Testing

@Suite
struct OnEndTests {
  private let cell = BindableActor(1)
  private let context = ManualContext()
  private let seen = Recorder<String>()

  @Test
  func `the end is reported once, after the last value, on the context of the observation`() {
    let token = cell.observe(on: context.delivery, backlog: .unbounded) { [seen] in
      seen.record("\($0)")
    } onEnd: { [seen] in
      seen.record("end")
    }
    cell.send(2)
    cell.finish()
    #expect(seen.elements == [])
    context.run()
    #expect(seen.elements == ["1", "2", "end"])
    #expect(!token.isActive && !token.isCancelled)
    token.cancel()
    context.run()
    #expect(seen.elements == ["1", "2", "end"])
    #expect(!token.isCancelled)
  }

  @Test
  func `a cancelled observation reports no end`() {
    let token = cell.observe(on: context.delivery) { _ in
    } onEnd: { [seen] in
      seen.record("end")
    }
    context.run()
    #expect(token.isActive)
    cell.finish()
    token.cancel()
    context.run()
    #expect(seen.elements == [])
    #expect(!token.isActive && token.isCancelled)
  }

  @Test
  func `an operator that cancels at the end prevents the report`() {
    let token = Guarded<BindingToken?>(nil)
    let source = cell.handleEvents(onEnd: { token.withLock { $0 }?.cancel() })
    let observation = source.observe(on: context.delivery) { _ in
    } onEnd: { [seen] in
      seen.record("end")
    }
    token.withLock { $0 = observation }
    cell.finish()
    context.run()
    #expect(seen.elements == [])
    #expect(observation.isCancelled)
    token.withLock { $0 = nil }
  }

  @Test
  func `a cancel within the report changes nothing`() {
    let token = Guarded<BindingToken?>(nil)
    let observation = cell.observe(on: context.delivery) { _ in
    } onEnd: { [seen] in
      let token = token.withLock { $0 }
      seen.record("active: \(token?.isActive == true)")
      token?.cancel()
    }
    token.withLock { $0 = observation }
    cell.finish()
    context.run()
    #expect(seen.elements == ["active: false"])
    #expect(!observation.isCancelled)
    token.withLock { $0 = nil }
  }

  @Test
  func `a finished cell reports the end before an observation in place is returned`() async {
    await onPlace { seen, cell in
      cell.finish()
      let token = cell.observe {
        seen.record("\($0)")
      } onEnd: {
        seen.record("end")
      }
      #expect(seen.elements == ["1", "end"])
      #expect(!token.isActive)
    }
  }

  @Test
  func `an owner receives the end, and an owner that is gone does not`() async {
    final class Owner: Sendable {}
    let owner = Owner()
    cell.observe(owner, on: context.delivery) { _, _ in
    } onEnd: { [seen] in
      seen.record("\($0 === owner)")
    }
    do {
      let mortal = Owner()
      cell.observe(mortal, on: context.delivery) { _, _ in
      } onEnd: { [seen] _ in
        seen.record("dead")
      }
      context.run()
    }
    cell.finish()
    context.run()
    #expect(seen.elements == ["true"])
  }

  @Test
  func `an owner on the caller's isolation receives the end`() async {
    await onPlace { seen, cell in
      final class Owner { var name = "owner" }
      let owner = Owner()
      cell.observe(owner) { _, _ in
      } onEnd: {
        seen.record($0.name)
      }
      cell.finish()
      await seen.reached(1)
      #expect(seen.elements == ["owner"])
    }
  }

  @Test
  func `an actor receives the end on itself`() async {
    actor Place {
      var ends = 0
      func count() { ends += 1 }
    }
    let place = Place()
    cell.observe(with: place) { _, _ in
    } onEnd: { [seen] place in
      place.ends += 1
      seen.record("end")
    }
    cell.finish()
    await seen.reached(1)
    #expect(await place.ends == 1)
  }

  @Test
  func `a queue and the main actor receive the end`() async {
    let queue = DispatchQueue(label: "end")
    let main = cell.observe(on: MainActor.shared) { _ in
    } onEnd: { [seen] in
      MainActor.assertIsolated()
      seen.record("end")
    }
    let other = cell.observe(on: queue) { _ in
    } onEnd: { [seen] in
      dispatchPrecondition(condition: .onQueue(queue))
      seen.record("end")
    }
    cell.finish()
    await seen.reached(2)
    #expect(seen.elements == ["end", "end"])
    withExtendedLifetime((main, other)) {}
  }

  @Test
  func `the end of a relay, of a combination and of a filter is reported`() async {
    let other = BindableActor(0)
    let (clock, seen) = (ManualClock(), seen)
    let tokens = [
      cell.debounce(for: .seconds(1), clock: clock).observe(on: .queue(.global())) { _ in
      } onEnd: {
        seen.record("end")
      },
      combineLatest(cell, other).observe(on: .queue(.global())) { _ in
      } onEnd: {
        seen.record("end")
      },
      cell.filter { $0 > 5 }.observe(on: .queue(.global())) { _ in
      } onEnd: {
        seen.record("end")
      },
    ]
    cell.finish()
    other.finish()
    await seen.reached(3)
    #expect(seen.count == 3)
    withExtendedLifetime(tokens) {}
  }

  @Test
  func `what the closure captures is released when the observation ends`() {
    let gone = Recorder<Int>()
    do {
      let mortal = Mortal { gone.record(1) }
      let token = cell.observe(on: context.delivery) { _ in
      } onEnd: {
        withExtendedLifetime(mortal) {}
      }
      context.run()
      token.cancel()
    }
    context.run()
    #expect(gone.elements == [1])
  }

  // The body runs on an isolation of its own, as on the main actor of an application.
  private func onPlace(
    _ body: @escaping @Sendable @MainActor (Recorder<String>, BindableActor<Int>) async -> Void
  ) async {
    await body(seen, cell)
  }
}
