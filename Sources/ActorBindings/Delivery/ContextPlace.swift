internal import Dispatch

/// The place at which a delivery context runs handlers.
enum ContextPlace: Sendable {
  /// The actor to which the cell belongs.
  case host
  /// The thread of the writer.
  case writer
  case actor(WeakActor)
  case queue(DispatchQueue)
  case taskExecutor(any TaskExecutor)
  case serialExecutor(SerialExecutorActor)
  /// A context that user code has created. In one cell, contexts with equal ids share one lane, because they share one
  /// `ContextIdentity`.
  case custom(ContextIdentity, schedule: @Sendable (@escaping @Sendable () -> Void) -> Void)
}

/// A reference to an actor on whose isolation handlers run. The reference does not keep the actor alive.
struct WeakActor: Sendable {
  private weak let weakActor: (any Actor)?
  // A strong reference, because the main actor lives for ever. A weak reference would cost more, and a sanitizer would
  // report it as a leak.
  private let mainActor: MainActor?

  init(_ actor: any Actor) {
    mainActor = actor === MainActor.shared ? MainActor.shared : nil
    weakActor = mainActor == nil ? actor : nil
  }

  var actor: (any Actor)? { mainActor ?? weakActor }

  var description: String { actor.map { "the actor \(type(of: $0))" } ?? "an actor that is gone" }
}

/// Lets jobs run on a serial executor.
actor SerialExecutorActor {
  private let executor: any SerialExecutor

  init(_ executor: any SerialExecutor) {
    self.executor = executor
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}
