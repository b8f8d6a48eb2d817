import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that runs this program again, with other arguments.
package final class ChildProcess: Sendable {
  private let id: pid_t
  private let input: FileHandle

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - onLine: Receives each line that the process prints, on a thread of its own.
  ///   - onEnd: Runs once, on that thread, when the process has ended.
  package init(
    arguments: [String],
    onLine: @escaping @Sendable (String) -> Void = { _ in },
    onEnd: @escaping @Sendable () -> Void
  ) throws {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    id = process.processIdentifier
    self.input = input.fileHandleForWriting
    let reading = output.fileHandleForReading
    Thread.detachNewThread {
      var buffer = Data()
      while case let bytes = reading.availableData, !bytes.isEmpty {
        buffer += bytes
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          onLine(String(decoding: buffer[..<end], as: UTF8.self))
          buffer = Data(buffer[buffer.index(after: end)...])
        }
      }
      process.waitUntilExit()
      onEnd()
    }
  }

  /// Sends a line to the process. A process that has ended does not read it.
  package func say(_ line: String) {
    try? input.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Ends the process as a crash does: the process cannot close its connections in order.
  package func kill() { signal(SIGKILL) }

  /// Stops the process, without ending it.
  package func pause() { signal(SIGSTOP) }

  /// Lets a paused process continue.
  package func resume() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    #if canImport(Glibc)
      _ = Glibc.kill(id, number)
    #else
      _ = Darwin.kill(id, number)
    #endif
  }
}
