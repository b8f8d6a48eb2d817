import ActorBindingsSharing
import Foundation
import Testing

@Suite(.timeLimit(.minutes(9))) struct FileStoreTroubleTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func refusal(_ path: String) -> String? {
    do {
      _ = try FileStore(path)
      return nil
    } catch StoreError.refused(let message) {
      return message
    } catch {
      return nil
    }
  }

  @Test func `a file in place of the folder is refused, with its path and a remedy`() throws {
    try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path))
    let message = try #require(refusal(folder.path))
    #expect(message.contains(folder.path) && message.contains("choose another path"), "\(message)")
    #expect(try #require(refusal(folder.path + "/below")).contains(folder.path))
  }

  @Test func `a folder whose parent is missing is refused, with a remedy`() throws {
    let message = try #require(refusal(folder.path + "/a/b"))
    #expect(
      message.contains(folder.path + "/a/b") && message.contains("create the parent first"),
      "\(message)"
    )
    #expect(refusal("") != nil)
  }

  @Test func `a folder that may not be written is refused`() async throws {
    try await FileStore(patient: folder.path).put("a", [1])
    try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
    // The system lets the superuser write every folder. So the test starts a process that runs as an ordinary user.
    let (steps, end) = try await ChildProcess("FileStoreWriter", "refused", folder.path).ended()
    #expect(steps == 1 && end == .exit(0))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
  }

  @Test func `each failure of the system says where it happened and what to do`() {
    let refused: [Int32] = [ENOTDIR, EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP, EISDIR]
    let passing: [Int32] = [ENOENT, ENOSPC, EDQUOT, EMFILE, ENFILE, EIO]
    for code in refused + passing {
      let error = StoreError(SystemError(code: code, action: "write", path: "entries/a"), directory: "/d")
      #expect(error.description.hasPrefix("cannot write /d/entries/a: "))
      #expect(error.description.contains("; "))
      #expect(error.isRefused(with: "/d") == refused.contains(code))
    }
  }

  @Test func `while the folder is missing, calls fail; when it is there again, they work`() async throws {
    let store = try FileStore(patient: folder.path)
    let first = try await store.put("a", [1])
    do {
      let changes = try await store.changes(in: .key("a"), after: first)
      try folder.remove()
      await #expect { _ = try await changes.first() } throws: { $0.isUnavailable }
    }
    await #expect { try await store.load(.key("a")) } throws: { $0.isUnavailable(with: folder.path) }
    await #expect { try await store.put("a", [2]) } throws: { $0.isUnavailable(with: folder.path) }
    await #expect { try await store.grantLease(ttl: .seconds(1)) } throws: {
      $0.isUnavailable(with: folder.path)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    #expect(try await store.load(.key("a")).entries.isEmpty)
    try await store.put("a", [3])
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[3]])
    await eventually { !store.watcher.isWatching }
  }

  @Test func `a folder that was moved away is missing`() async throws {
    let store = try FileStore(folder.path, scanInterval: .milliseconds(20))
    let first = try await store.put("a", [1])
    let changes = try await store.changes(in: .key("a"), after: first)
    try FileManager.default.moveItem(atPath: folder.path, toPath: folder.path + "-moved")
    await #expect { _ = try await changes.first() } throws: { $0.isUnavailable(with: folder.path) }
    await #expect { try await store.put("a", [2]) } throws: { $0.isUnavailable(with: folder.path) }
  }

  @Test func `when the folder is emptied, subscriptions end, and the next load is empty`() async throws {
    let store = try FileStore(patient: folder.path)
    let lease = try await store.grantLease(ttl: .seconds(600))
    let first = try await store.put("a", [1])
    let changes = try await store.changes(in: .key("a"), after: first)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) { try folder.remove(name) }
    await #expect(throws: StoreError.self) { _ = try await changes.first() }
    #expect(try await store.load(.key("a")).entries.isEmpty)
    // The revisions of the emptied folder mean nothing in the new one.
    #expect(try await store.put("a", [7]) > first.next)
    await #expect(throws: StoreError.historyLost) { try await store.changes(in: .key("a"), after: first) }
    await #expect(throws: StoreError.leaseEnded) { try await store.renew(lease) }
    let second = try await store.grantLease(ttl: .seconds(600))
    try await store.put("a", [2], lease: second)
    try await store.renew(second)
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[2]])
  }

  @Test func `a file that no store has written is named`() async throws {
    let store = try FileStore(patient: folder.path)
    try await store.put("a", [1])
    try folder.replace("entries/a", with: Array("by hand".utf8))
    await #expect { try await store.load(.key("a")) } throws: {
      $0.isRefused(with: "\(folder.path)/entries/a")
    }
    try folder.remove("entries/a")
    #expect(try await store.load(.key("a")).entries.isEmpty)
  }

  @Test func `files of other programs among the entries are left alone`() async throws {
    let store = try FileStore(patient: folder.path)
    try await store.put("a/b", [1])
    for name in ["README", "a.tmp~", "x%2"] { try folder.replace("entries/\(name)", with: [1]) }
    #expect(try await store.load(.prefix("a/")).entries.map(\.key) == ["a/b"])
  }

  @Test func `a folder of a later version is refused`() async throws {
    let store = try FileStore(patient: folder.path)
    try await store.put("a", [1])
    try folder.replace("journal/current", with: Array("ActorBindings journal 2 a b c\n".utf8))
    await #expect { try await store.put("a", [2]) } throws: { $0.isRefused(with: "update this program") }
  }
}

// MARK: - A lock that another process holds

@Suite(.timeLimit(.minutes(9))) struct FileStoreLockTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func takeLock() throws -> FileHandle {
    // Not inherited by the processes that other tests start meanwhile.
    let descriptor = unsafe open("\(folder.path)/lock", O_RDWR | O_CLOEXEC)
    try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  @Test func `a write gives up after a while, and is never applied`() async throws {
    let store = try FileStore(folder.path, scanInterval: .seconds(1), patience: .milliseconds(50))
    try await store.put("a", [1])
    let handle = try takeLock()
    await #expect { try await store.put("a", [2]) } throws: { $0.isUnavailable(with: "\(folder.path)/lock") }
    await #expect { try await store.put("a", [3]) } throws: {
      $0.isUnavailable(with: "50 ms") || $0.isUnavailable
    }
    // A load needs no lock.
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[1]])
    try handle.close()
    // The time limit of the earlier calls can still pass before the store has the lock.
    while (try? await store.put("b", [4])) == nil {}
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[1]])
  }

  @Test func `a cancelled write that waits for the lock ends at once, and is never applied`() async throws {
    let store = try FileStore(patient: folder.path)
    try await store.put("a", [1])
    let handle = try takeLock()
    let first = Task { try await store.put("a", [2]) }
    let second = Task { try await store.put("a", [3]) }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    try handle.close()
    try await store.put("b", [4])
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[1]])
  }
}

// MARK: - A full disk

@Suite(.timeLimit(.minutes(9))) struct FileStoreFullDiskTests {
  private static func run(_ tool: String, _ arguments: String...) -> Bool {
    guard let process = try? ChildProcess(path: tool, arguments) else { return false }
    return process.waitForEnd() == .exit(0)
  }

  @Test func `on a full disk writes fail and nothing is lost; with space they work again`() async throws {
    let folder = try TemporaryFolder()
    let disk = folder.parent + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    guard Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk) else {
      print("skipped the test of a full disk: this process may not mount a tmpfs")
      return
    }
    defer { _ = Self.run("/bin/umount", "-l", disk) }
    let store = try FileStore(patient: disk + "/store")
    let first = try await store.put("a", [1])
    let changes = try await store.changes(in: .prefix("b/"), after: first)
    var written = 0
    do {
      while true {
        try await store.put("b/\(written)", [UInt8](repeating: 1, count: 50_000))
        written += 1
      }
    } catch {
      #expect(error.isUnavailable(with: disk), "\(error)")
    }
    // Loads and subscriptions go on, and a removal makes space.
    #expect(try await store.load(.prefix("b/")).entries.count == written)
    #expect(try await store.load(.key("a")).entries.map(\.bytes) == [[1]])
    try await store.put("b/0", nil)
    #expect(try await store.put("a", [2]) > first)
    let found = try await changes.collect { $0.contains { $0.key == "b/0" } }
    #expect(!found.isEmpty)
  }
}

extension Error {
  func isRefused(with text: String) -> Bool {
    guard case .refused(let message)? = self as? StoreError else { return false }
    return message.contains(text)
  }

  var isUnavailable: Bool { isUnavailable(with: "") }

  func isUnavailable(with text: String) -> Bool {
    guard case .unavailable(let message)? = self as? StoreError else { return false }
    return text.isEmpty || message.contains(text)
  }
}
