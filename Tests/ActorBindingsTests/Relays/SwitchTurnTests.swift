import ActorBindings
import Testing

/// What a switch delivers if its sources are written or end while one turn of the switch reads them. Closures of
/// operators write, because the switch calls them in the turn.
@Suite
struct SwitchTurnTests {
  private let rooms = (0...3).map { BindableActor(10 * $0) }
  private let outer = BindableActor(0)
  private let seen = Recorder<Int>()
  private let context = ManualContext()

  private func observe(_ source: some BindingSource<Int>) async -> BindingToken {
    let token = source.observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    await settle()
    #expect(seen.elements == [0])
    return token
  }

  private func settle() async {
    await outer.settled()
    for room in rooms { await room.settled() }
    context.run()
  }

  // The outer source, which drops negative numbers. Calls `body` when the switch reads -1.
  private func outer(atMinusOne body: @escaping @Sendable () -> Void) -> some BindingSource<Int> {
    outer.filter { number in
      if number == -1 { body() }
      return number >= 0
    }
  }

  @Test
  func `G2 several values from before a switch are delivered, though the switch is found first`() async {
    let source = outer(atMinusOne: { [rooms, outer] in
      for value in 1...3 { rooms[0].send(value) }
      outer.send(1)
    })
    let token = await observe(source.flatMapLatest { [rooms] in rooms[$0] })
    outer.send(-1)
    await settle()
    #expect(seen.elements == [0, 1, 2, 3, 10])
    token.cancel()
  }

  @Test
  func `G2 the values of an inner source that has ended come before the next source`() async {
    let source = outer(atMinusOne: { [rooms, outer] in
      for value in 1...3 { rooms[0].send(value) }
      rooms[0].finish()
      outer.send(1)
      outer.finish()
    })
    let token = await observe(source.flatMapLatest { [rooms] in rooms[$0] })
    outer.send(-1)
    await settle()
    #expect(seen.elements == [0, 1, 2, 3, 10])
    #expect(!token.hasEnded)
    rooms[1].finish()
    await settle()
    #expect(token.hasEnded)
  }

  @Test
  func `a switch takes place though the old source was written after its reader had ended`() async {
    let token = await observe(
      outer.flatMapLatest { [rooms] in $0 == 0 ? rooms[0].prefix(1).erased() : rooms[$0].erased() }
    )
    rooms[0].send(1)
    outer.send(1)
    await settle()
    #expect(seen.elements == [0, 10])
    token.cancel()
  }

  @Test(arguments: [false, true])
  func `a value is delivered though the outer source rejects an update after it`(outerEnds: Bool) async {
    let source = outer(atMinusOne: {})
    let token = await observe(
      source.flatMapLatest { [rooms, outer] number in
        rooms[number].map { value in
          if value == 10 {
            outer.send(-1)
            if outerEnds { outer.finish() }
          }
          return value
        }
      }
    )
    outer.send(1)
    await settle()
    #expect(seen.elements == [0, 10])
    token.cancel()
  }

  @Test
  func `a value that waits for the outer source is delivered before the next switch`() async {
    let source = outer(atMinusOne: {})
    let token = await observe(
      source.flatMapLatest { [rooms, outer] number in
        number != 1
          ? rooms[number].erased()
          : merge(rooms[1], rooms[2])
            .map { value in
              if value == 10 { outer.send(-1) }
              if value == 20 { outer.send(3) }
              return value
            }
            .erased()
      }
    )
    outer.send(1)
    await settle()
    #expect(seen.elements == [0, 10, 30])
    token.cancel()
  }

  // A turn of the reader of the outer source reads at most 4,096 updates, so the inner source ends several turns earlier
  // than its last value is decided on.
  @Test
  func `settled() of an inner source that has ended waits for its last value`() async {
    let source = outer(atMinusOne: {})
    let token = await observe(
      source.flatMapLatest { [rooms, outer] number in
        rooms[number].map { value in
          if value == 1 {
            for _ in 1...20_000 { outer.send(-1) }
            rooms[number].finish()
          }
          return value
        }
      }
    )
    rooms[0].send(1)
    await rooms[0].settled()
    context.run()
    #expect(seen.elements == [0, 1])
    token.cancel()
  }

  @Test
  func `an outer source of pairs begins with the source of its first pair`() {
    let other = BindableActor(0)
    let token = zip(outer, other).flatMapLatest { [rooms] in rooms[$0.0] }
      .observe(on: context.delivery, backlog: .unbounded) { [seen] in seen.record($0) }
    context.run()
    #expect(seen.elements == [0])
    token.cancel()
  }

  @Test
  func `a switch takes place after the inner source has ended`() async {
    let token = await observe(outer.flatMapLatest { [rooms] in rooms[$0] })
    rooms[0].finish()
    await settle()
    outer.send(1)
    await settle()
    #expect(seen.elements == [0, 10])
    token.cancel()
  }

  @Test
  func `a switch ends when its outer source ends after the inner source`() async {
    let token = await observe(outer.flatMapLatest { [rooms] in rooms[$0] })
    rooms[0].finish()
    await settle()
    outer.finish()
    await settle()
    #expect(seen.elements == [0])
    #expect(token.hasEnded)
  }
}
