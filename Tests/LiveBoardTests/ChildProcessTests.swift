import ActorBindings
import Testing
import WebServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A process that a board starts", .timeLimit(.minutes(9)))
struct ChildProcessTests {
  fileprivate static func end(_ path: String, _ arguments: [String]) async throws -> (
    lines: [String], process: ChildProcess
  ) {
    let (lines, ended) = (BindableActor<[String]>([]), BindableActor(false))
    let process = try ChildProcess(
      path: path,
      arguments: arguments,
      onLine: { line in lines.modify { $0.append(line) } },
      onEnd: { _ in ended.send(true) }
    )
    process.endInput()
    _ = await ended.first { $0 }
    return (lines.value, process)
  }

  @Test("has three open files and the environment, and its end is noticed")
  func files() async throws {
    let site = try await Site()
    let visitor = try await site.follower()
    let (lines, process) = try await Self.end(
      "/bin/sh",
      ["-c", "for n in 3 4 5 6 7 8 9; do if (: <&$n) 2>/dev/null; then echo $n; fi; done; echo $HOME; cat"]
    )
    #expect(lines == [unsafe String(cString: getenv("HOME"))] && process.hasEnded)
    withExtendedLifetime(visitor) {}
    await site.server.stop()
  }

  @Test("that cannot start is an error")
  func missing() {
    #expect(throws: (any Error).self) { try ChildProcess(path: "/no such program", arguments: []) }
  }

  // In a process of its own, because the files stay open.
  @Test("starts while thousands of files are open")
  func manyFiles() async {
    await #expect(processExitsWith: .success) {
      let limit = System.allowManyFiles()
      for _ in 0..<min(limit - 100, 8_000) where dup(0) < 0 { break }
      for _ in 1...20 {
        let (lines, _) = try await ChildProcessTests.end("/bin/sh", ["-c", "echo started"])
        if lines != ["started"] { System.exit(1) }
      }
    }
  }
}
