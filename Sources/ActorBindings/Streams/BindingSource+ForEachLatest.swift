extension BindingSource {
  /// Calls an asynchronous function with the current value and each newer value. A newer value cancels the call that
  /// runs.
  ///
  /// ```swift
  /// try await config.forEachLatest { config in
  ///   try await serve(config)  // until the configuration changes
  /// }
  /// ```
  ///
  /// The next call begins when the cancelled call has ended, with the value that is newest then. So calls never
  /// overlap, and a function that ignores the cancellation of its task delays the next call. The reader has the backlog
  /// `.latest`.
  ///
  /// This method returns when the source has ended and the last call has returned, or when the task is cancelled and
  /// the call that runs has ended. If a call throws before it is cancelled, this method throws that error at once. If a
  /// call was cancelled, by a newer value or with the task, what it returns or throws is ignored.
  ///
  /// The function, and the operators of the source, run in child tasks, and not on the isolation of the caller. For an
  /// actor write `{ @MainActor in … }`. A value costs two child tasks.
  ///
  /// - Parameters:
  ///   - isolation: The actor that the caller runs on.
  ///   - fileID: The file of the call, for diagnostics.
  ///   - line: The line of the call, for diagnostics.
  ///   - body: The function. It should end when its task is cancelled.
  public func forEachLatest<Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Value) async throws(Failure) -> Void
  ) async throws(Failure) {
    let reader = StreamReader.begin(cursor, depth: 1, reserved: nil, site: CallSite(fileID, line))
    defer { reader.leave() }
    var next = await reader.next()
    while let value = next {
      next = try await reader.call(body, with: value)
    }
  }
}

extension StreamReader {
  fileprivate enum Event<Failure: Error>: Sendable {
    /// The reader has the next value; nil at the end.
    case read(Cursor.Element?)
    /// The call has ended. The error is nil if the call has returned, or was cancelled.
    case called(error: Failure?)
  }

  // The problem: the next value must cancel the call, and the end of the call must not cancel the wait for the next
  // value, because a reader whose task is cancelled gives up its position. A task can cancel its child tasks only
  // together. So each value has a group of its own, with one child task for the call and one for the next value. If the
  // call ends first, the group waits for the next value.
  fileprivate nonisolated(nonsending) func call<Failure: Error>(
    _ body: @escaping @Sendable (Cursor.Element) async throws(Failure) -> Void,
    with value: Cursor.Element
  ) async throws(Failure) -> Cursor.Element? {
    let (next, error) = await withTaskGroup(of: Event<Failure>.self) { group in
      group.addTask { await Self.outcome(of: body, value) }
      group.addTask { .read(await self.next()) }
      var (next, error): (Cursor.Element?, Failure?) = (nil, nil)
      for await event in group {
        switch event {
        case .read(let value?):
          next = value
          group.cancelAll()
        case .read(nil), .called(error: nil): break
        case .called(let failure?):
          error = failure
          group.cancelAll()
        }
      }
      return (next, error)
    }
    // The call failed before a newer value cancelled it, even if the reader has found a newer value meanwhile.
    if let error { throw error }
    if let next { return await newest(after: next) }
    return nil
  }

  /// Returns the newest value of the source, which may have been written again while the cancelled call ended. Returns
  /// nil if the task was cancelled meanwhile: then no other call begins.
  private nonisolated(nonsending) func newest(after value: Cursor.Element) async -> Cursor.Element? {
    while true {
      switch advance() {
      case .element(let newer): return newer
      case .yield: await Task.yield()
      case .park, .end: return Task.isCancelled ? nil : value
      }
    }
  }

  private static func outcome<Failure: Error>(
    of body: @Sendable (Cursor.Element) async throws(Failure) -> Void,
    _ value: Cursor.Element
  ) async -> Event<Failure> {
    do throws(Failure) {
      try await body(value)
      return .called(error: nil)
    } catch {
      return .called(error: Task.isCancelled ? nil : error)
    }
  }

  fileprivate nonisolated(nonsending) func next() async -> Cursor.Element? {
    while true {
      switch advance() {
      case .element(let element): return element
      case .yield: await Task.yield()
      case .park(let version): await park(in: cell, after: version)
      case .end: return nil
      }
    }
  }
}
