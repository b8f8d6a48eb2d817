import LiveBoard
import Testing
import WebServer

@Suite("The readiness of sockets")
struct ReadinessTests {
  private let readiness: Readiness
  private let (ours, theirs): (Socket, Socket)

  init() throws {
    readiness = try Readiness()
    let listener = try Socket.listening(on: 0)
    theirs = try Socket.connected(to: listener.port)
    ours = try #require(try listener.accepted())
  }

  @Test("room is reported for as long as it is requested")
  func room() {
    readiness.watch(ours, as: 1)
    #expect(readiness.events() == [])
    readiness.watch(ours, as: 1, forRoom: true)
    for _ in 1...2 { #expect(readiness.events() == [Readiness.Event(id: 1, hasRoom: true)]) }
    readiness.watch(ours, as: 1)
    #expect(readiness.events() == [])
  }

  @Test("arrived bytes are reported until they are read")
  func speech() {
    readiness.watch(ours, as: 2)
    _ = theirs.write([1, 2, 3])
    for _ in 1...2 { #expect(readiness.events() == [Readiness.Event(id: 2, speaks: true)]) }
    var buffer = [UInt8](repeating: 0, count: 10)
    #expect(ours.read(into: &buffer) == .moved(3))
    #expect(readiness.events() == [])
  }

  @Test("an end is reported until the socket is forgotten", arguments: [false, true])
  func end(isAbrupt: Bool) throws {
    let listener = try Socket.listening(on: 0)
    let ours: Socket
    do {
      let theirs = try Socket.connected(to: listener.port)
      ours = try #require(try listener.accepted())
      readiness.watch(ours, as: 3)
      if isAbrupt { theirs.breaksWhenClosed() }
    }
    for _ in 1...2 { #expect(readiness.events() == [Readiness.Event(id: 3, speaks: true)]) }
    readiness.forget(ours)
    #expect(readiness.events() == [])
  }

  @Test("waiting clients are reported, also after the listener was forgotten for a while")
  func listener() throws {
    let listener = try Socket.listening(on: 0)
    readiness.watch(listener, as: 0)
    let client = try Socket.connected(to: listener.port)
    #expect(readiness.events() == [Readiness.Event(id: 0, speaks: true)])
    readiness.forget(listener)
    #expect(readiness.events() == [])
    readiness.watch(listener, as: 0)
    #expect(readiness.events() == [Readiness.Event(id: 0, speaks: true)])
    withExtendedLifetime(client) {}
  }
}
