import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that this program has started: as a rule, one that runs this program again, with other arguments.
package final class ChildProcess: Sendable {
  private let id: pid_t
  private let input: FileHandle
  private let end = DispatchGroup()
  private let isOver = Atomic(false)

  /// Whether the process has ended.
  package var hasEnded: Bool { isOver.load(ordering: .sequentiallyConsistent) }

  /// Starts a process.
  ///
  /// - Parameters:
  ///   - path: The program to run; nil for this program.
  ///   - onLine: Receives each line that the process prints, on a thread of its own.
  ///   - onEnd: Runs once, on that thread, when the process has ended.
  package init(
    path: String? = nil,
    arguments: [String],
    onLine: @escaping @Sendable (String) -> Void = { _ in },
    onEnd: @escaping @Sendable (ChildProcess) -> Void = { _ in }
  ) throws {
    let (input, output) = (Pipe(), Pipe())
    let id = try spawn(
      path ?? Bundle.main.executablePath ?? CommandLine.arguments[0],
      arguments,
      input: input.fileHandleForReading.fileDescriptor,
      output: output.fileHandleForWriting.fileDescriptor
    )
    // Only the process has these ends, so that each side notices when the other one is gone.
    try input.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    self.id = id
    self.input = input.fileHandleForWriting
    let reading = output.fileHandleForReading
    end.enter()
    Thread.detachNewThread {
      var buffer = Data()
      while case let bytes = reading.availableData, !bytes.isEmpty {
        buffer += bytes
        while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
          onLine(String(decoding: buffer[..<end], as: UTF8.self))
          buffer = Data(buffer[buffer.index(after: end)...])
        }
      }
      waitForEnd(of: id)
      self.isOver.store(true, ordering: .sequentiallyConsistent)
      onEnd(self)
      self.end.leave()
    }
  }

  /// Sends a line to the process. A process that has ended does not read it.
  package func say(_ line: String) {
    try? input.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// Ends the standard input of the process.
  package func endInput() {
    try? input.close()
  }

  /// Blocks until the process has ended and `onEnd` has returned.
  package func waitUntilEnded() {
    end.wait()
  }

  /// Ends the process as a crash does: the process cannot close its connections in order.
  package func kill() { signal(SIGKILL) }

  /// Stops the process, without ending it.
  package func pause() { signal(SIGSTOP) }

  /// Lets a paused process continue.
  package func resume() { signal(SIGCONT) }

  // Once the process has ended, the system may give its id to another process.
  private func signal(_ number: Int32) {
    if hasEnded { return }
    #if canImport(Glibc)
      _ = Glibc.kill(id, number)
    #else
      _ = Darwin.kill(id, number)
    #endif
  }
}
