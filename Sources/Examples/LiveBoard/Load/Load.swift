import WebServer

/// An error: connections ended too early, or received no proper answer.
struct Lost: Error, CustomStringConvertible {
  let description: String
}

/// Follows the board with many connections, and prints how many events they receive.
///
/// One thread waits for all connections: the processor time that the load saves is left for the server on the same
/// machine.
func load(_ clients: Int, port: UInt16, seconds: Int) throws {
  _ = System.allowManyFiles()
  let clock = ContinuousClock()
  let begin = clock.now
  var sockets: [Socket] = []
  for _ in 0..<clients { sockets.append(try follow(port)) }
  System.say("\(clients) connected in \(milliseconds(clock.now - begin)) ms")

  var counter = EventCounter(clients)
  var isFull = false
  var report = clock.now
  let end = clock.now + .seconds(seconds)
  while clock.now < end, !sockets.isEmpty {
    try counter.readAll(sockets)
    if !isFull, counter.silent == 0 {
      isFull = true
      System.say("each is answered after \(milliseconds(clock.now - begin)) ms")
    }
    let passed = clock.now - report
    if passed >= .seconds(5) {
      System.say("\(Int(Double(counter.takeEvents()) / (passed / .seconds(1)))) events/s")
      report = clock.now
    }
    // Events that arrive during the wait are read together after it.
    System.wait(milliseconds: 20)
  }
  if counter.silent > 0 { throw Lost(description: "\(counter.silent) of \(clients) were not answered") }
}

/// Opens a connection and requests the events of all symbols.
func follow(_ port: UInt16) throws -> Socket {
  let socket = try Socket.connected(to: port)
  _ = socket.write(Array("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)[...])
  socket.neverWaits()
  return socket
}

/// Throws if `bytes`, the first of a connection, do not begin a successful answer.
func isWelcome(_ bytes: ArraySlice<UInt8>) throws {
  if bytes.starts(with: "HTTP/1.1 200 ".utf8) { return }
  let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  throw Lost(description: "a connection is answered: \(line)")
}

func milliseconds(_ duration: Duration) -> Int {
  Int(duration / .milliseconds(1))
}

/// Counts the events that arrive at many sockets. Each event ends with an empty line.
private struct EventCounter {
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  private var endsWithLine: [Bool]
  private var hasHeard: [Bool]
  private var events = 0
  /// The number of sockets that have received nothing yet.
  private(set) var silent: Int

  init(_ clients: Int) {
    endsWithLine = Array(repeating: false, count: clients)
    hasHeard = Array(repeating: false, count: clients)
    silent = clients
  }

  mutating func takeEvents() -> Int {
    defer { events = 0 }
    return events
  }

  /// Reads and counts the bytes that have arrived.
  mutating func readAll(_ sockets: [Socket]) throws {
    var ended = 0
    for index in Socket.readable(among: sockets, milliseconds: 100) {
      switch sockets[index].read(into: &buffer) {
      case .notNow: break
      case .ended: ended += 1
      case .moved(let count):
        if !hasHeard[index] {
          try isWelcome(buffer[..<count])
          hasHeard[index] = true
          silent -= 1
        }
        var wasLine = endsWithLine[index]
        for byte in buffer[..<count] {
          let isLine = byte == UInt8(ascii: "\n")
          if isLine, wasLine { events += 1 }
          wasLine = isLine
        }
        endsWithLine[index] = wasLine
      }
    }
    if ended > 0 { throw Lost(description: "\(ended) of \(sockets.count) connections have ended") }
  }
}
