#if Explorer
  import Foundation

  /// A thread of the kernel.
  struct KernelThread {
    private let status: String

    /// The calling thread, or nil where the system has no folder with the states of threads.
    static var current: KernelThread? {
      guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self") else {
        return nil
      }
      return KernelThread(status: "/proc/\(path)/stat")
    }

    /// Whether the thread waits for something other than a processor.
    var sleeps: Bool {
      guard let file = fopen(status, "r") else { return false }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 512)
      guard fgets(&line, Int32(line.count), file) != nil else { return false }
      // The name is in parentheses, and the state follows it.
      guard let bracket = line.lastIndex(of: CChar(UInt8(ascii: ")"))), bracket + 2 < line.count else {
        return false
      }
      return line[bracket + 2] == CChar(UInt8(ascii: "S"))
    }
  }
#endif
