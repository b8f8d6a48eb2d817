#if Explorer
  import Foundation

  extension ExplorationWorld {
    /// Runs operations at the same time, and expects that they are linearizable: that some order of the operations, run one
    /// after the other, has the same outcomes. In that order an operation stands before each operation that began after it
    /// had ended.
    ///
    /// ```swift
    /// try explore("a counter") { world in
    ///   let counter = Counter()
    ///   await world.checkLinearizable(
    ///     model: 0,
    ///     operations: [[1, 2], [3]]
    ///   ) { amount, sum in
    ///     sum += amount
    ///     return sum
    ///   } run: { amount in
    ///     await counter.add(amount)
    ///   }
    /// }
    /// ```
    ///
    /// The search for an order takes time that grows exponentially with the number of operations: use up to ten.
    ///
    /// - Parameters:
    ///   - model: The model of what is tested, in its first state.
    ///   - operations: The operations. Each list runs in a task of its own.
    ///   - fileID: The file that a failure names.
    ///   - line: The line that a failure names.
    ///   - apply: Applies an operation to the model, and returns its outcome.
    ///   - run: Runs an operation on what is tested, and returns its outcome.
    public func checkLinearizable<
      Model: Hashable & Sendable,
      Operation: Sendable,
      Outcome: Equatable & Sendable
    >(
      model: Model,
      operations: [[Operation]],
      fileID: String = #fileID,
      line: Int = #line,
      apply: (Operation, inout Model) -> Outcome,
      run: @escaping @Sendable (Operation) async -> Outcome
    ) async {
      let history = History<Operation, Outcome>()
      let tasks = operations.enumerated().map { number, operations in
        task("operations \(number + 1)", fileID: fileID, line: line) {
          for operation in operations { await history.record(operation, run) }
        }
      }
      for task in tasks { await task.value }
      let recorded = history.operations
      if !isLinearizable(recorded, from: model, apply: apply) {
        let text = recorded.map { "\($0.operation) gave \($0.outcome)" }.joined(separator: ", ")
        fail("the operations are not linearizable: \(text)", fileID: fileID, line: line)
      }
    }
  }

  /// An operation that was run, with the times of its call and its return, which rise by 1 from event to event.
  package struct RecordedOperation<Operation: Sendable, Outcome: Sendable>: Sendable {
    package let operation: Operation
    package let called: Int
    package let returned: Int
    package let outcome: Outcome

    package init(_ operation: Operation, called: Int, returned: Int, outcome: Outcome) {
      self.operation = operation
      self.called = called
      self.returned = returned
      self.outcome = outcome
    }
  }

  /// Operations that tasks run at the same time.
  package final class History<Operation: Sendable, Outcome: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var time = 0
    private var recorded: [RecordedOperation<Operation, Outcome>] = []

    package init() {}

    package var operations: [RecordedOperation<Operation, Outcome>] { lock.withLock { recorded } }

    package func record(_ operation: Operation, _ run: (Operation) async -> Outcome) async {
      let called = now()
      let outcome = await run(operation)
      ended(operation, called, outcome)
    }

    private func now() -> Int {
      lock.withLock {
        time += 1
        return time
      }
    }

    private func ended(_ operation: Operation, _ called: Int, _ outcome: Outcome) {
      let returned = now()
      lock.withLock {
        recorded.append(RecordedOperation(operation, called: called, returned: returned, outcome: outcome))
      }
    }
  }

  /// Returns whether operations have an order that agrees with their times and with a model (the search of Wing and Gong).
  ///
  /// - Parameter accepts: Whether the model may be in this state after all operations.
  package func isLinearizable<Model: Hashable, Operation, Outcome: Equatable>(
    _ operations: [RecordedOperation<Operation, Outcome>],
    from model: Model,
    apply: (Operation, inout Model) -> Outcome,
    accepts: (Model) -> Bool = { _ in true }
  ) -> Bool {
    var rejected = Set<Configuration<Model>>()
    func search(_ remaining: Set<Int>, _ model: Model) -> Bool {
      if remaining.isEmpty { return accepts(model) }
      guard rejected.insert(Configuration(remaining: remaining, model: model)).inserted else { return false }
      let earliestReturn = remaining.map { operations[$0].returned }.min() ?? 0
      for index in remaining where operations[index].called < earliestReturn {
        var successor = model
        guard apply(operations[index].operation, &successor) == operations[index].outcome else { continue }
        if search(remaining.subtracting([index]), successor) { return true }
      }
      return false
    }
    return search(Set(operations.indices), model)
  }

  // The operations that are still to be ordered, and the state of the model after the others.
  private struct Configuration<Model: Hashable>: Hashable {
    let remaining: Set<Int>
    let model: Model
  }
#endif
