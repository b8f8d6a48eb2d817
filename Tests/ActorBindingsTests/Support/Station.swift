import ActorBindings
import Dispatch

/// A Dispatch queue, also as an executor. Code can check whether it runs on this queue.
// @unchecked: nothing changes after the initializer.
final class Station: TaskExecutor, SerialExecutor, @unchecked Sendable {
  let queue: DispatchQueue
  private let mark = DispatchSpecificKey<Bool>()

  init(isConcurrent: Bool = false) {
    queue = DispatchQueue(label: "station", attributes: isConcurrent ? .concurrent : [])
    queue.setSpecific(key: mark, value: true)
  }

  /// Whether the caller runs here.
  var isHere: Bool { DispatchQueue.getSpecific(key: mark) == true }

  /// Runs `body` here, asynchronously.
  func run(_ body: @escaping @Sendable () -> Void) {
    queue.async { body() }
  }

  /// Runs `body` here, on another thread than the caller's, and returns when it is done.
  func runAndWait(_ body: @escaping @Sendable () -> Void) {
    let isDone = Latch()
    run {
      body()
      isDone.open()
    }
    isDone.wait()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      unsafe job.runSynchronously(
        isolatedTo: self.asUnownedSerialExecutor(),
        taskExecutor: self.asUnownedTaskExecutor()
      )
    }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    unsafe UnownedSerialExecutor(ordinary: self)
  }

  func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    unsafe UnownedTaskExecutor(ordinary: self)
  }
}

/// An actor that runs at a station, and records what it does.
actor Worker {
  nonisolated let station: Station
  private(set) var elements: [Int] = []
  private(set) var tokens: [BindingToken] = []

  init(at station: Station = Station()) {
    self.station = station
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe station.asUnownedSerialExecutor()
  }

  func record(_ element: Int) {
    elements.append(element)
  }

  func keep(_ token: BindingToken) {
    tokens.append(token)
  }

  /// Runs `body` here.
  @discardableResult
  func run<R: Sendable>(_ body: @Sendable (isolated Worker) -> R) -> R {
    body(self)
  }
}
