import WebServer

/// Connects and disconnects many clients in each cycle. Half of the clients disconnect by a reset, and a tenth does not
/// wait for an answer.
func churn(_ cycles: Int, clients: Int, port: UInt16) throws {
  _ = System.allowManyFiles()
  let clock = ContinuousClock()
  let begin = clock.now
  for cycle in 1...max(cycles, 1) {
    var sockets: [Socket] = []
    for number in 0..<clients {
      let socket = try follow(port)
      if number.isMultiple(of: 2) { socket.breaksWhenClosed() }
      sockets.append(socket)
    }
    var silent = sockets
    silent.removeFirst(clients / 10)
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while !silent.isEmpty {
      let heard = Set(Socket.readable(among: silent, milliseconds: 5_000))
      for index in heard {
        guard case .moved(let count) = silent[index].read(into: &buffer) else {
          throw Lost(description: "a connection has ended")
        }
        try isWelcome(buffer[..<count])
      }
      silent = silent.indices.filter { !heard.contains($0) }.map { silent[$0] }
    }
    if cycle.isMultiple(of: 200) || cycle == cycles {
      System.say("\(cycle) × \(clients) have come and gone, \(milliseconds(clock.now - begin)) ms")
    }
  }
}
