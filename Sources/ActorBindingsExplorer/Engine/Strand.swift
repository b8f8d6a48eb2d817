#if Explorer
  import Dispatch
  import Foundation

  /// One job of the program under test, on a separate thread. Only one strand runs at a time.
  final class Strand: @unchecked Sendable {
    enum Status {
      case ready
      case running
      case waits(forLock: UInt)
      /// The strand has made no step for a long time: it is blocked inside the runtime.
      case stuck
      /// The strand has made far more steps than it can need, and was stopped.
      case circling
      case finished
    }

    let id: Int
    /// The number of the run that the strand belongs to.
    let run: Int
    let recording: Recording
    /// The name of the task or context, for messages, or nil for a job of an actor.
    let name: String?
    let body: @Sendable () -> Void
    // Guarded by the explorer's lock.
    var status = Status.ready
    // The next unfinished strand in the order of spawning.
    var next: Strand?
    // The thread that runs this strand.
    var thread: KernelThread?
    // Used only by the strand that passes the baton to this one.
    var hasStarted = false
    // Used only by this strand.
    var runtimeDepth = 0
    var nameOfNextTask: String?

    var isReady: Bool { if case .ready = status { true } else { false } }

    private let baton = DispatchSemaphore(value: 0)

    init(id: Int, run: Int, name: String?, recording: Recording, body: @escaping @Sendable () -> Void) {
      self.id = id
      self.run = run
      self.recording = recording
      self.name = name
      self.body = body
    }

    func awaitBaton() {
      baton.wait()
    }

    func takeBaton() {
      baton.signal()
    }

    private static let key: pthread_key_t = {
      var key = pthread_key_t()
      pthread_key_create(&key, nil)
      return key
    }()

    /// The strand that the calling thread runs, or nil.
    static var current: Strand? {
      get { pthread_getspecific(key).map { Unmanaged<Strand>.fromOpaque($0).takeUnretainedValue() } }
      set { pthread_setspecific(key, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }
  }

  /// Threads that run strands, one after the other.
  final class ThreadPool: @unchecked Sendable {
    private final class Worker: @unchecked Sendable {
      let wake = DispatchSemaphore(value: 0)
      var job: (@Sendable (KernelThread?) -> Void)?
    }

    private let lock = NSLock()
    private var idle: [Worker] = []

    func run(_ job: @escaping @Sendable (KernelThread?) -> Void) {
      let worker: Worker? = lock.withLock { idle.popLast() }
      if let worker {
        worker.job = job
        worker.wake.signal()
        return
      }
      let fresh = Worker()
      fresh.job = job
      let thread = Thread { [self] in
        Core.pinThread()
        let current = KernelThread.current
        while true {
          fresh.job.take()?(current)
          lock.withLock { idle.append(fresh) }
          fresh.wake.wait()
        }
      }
      thread.stackSize = 1 << 20
      thread.start()
    }
  }
#endif
