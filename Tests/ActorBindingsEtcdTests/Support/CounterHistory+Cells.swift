import ActorBindings
import ActorBindingsSharing
import CounterHistory

extension BindableActor<CounterHistory> {
  /// Runs an operation, and notes its result.
  func note(isRead: Bool, _ operation: () async throws -> Int) async throws {
    let began = modify { $0.began() }
    do {
      let value = try await operation()
      modify { $0.ended(began: began, value: value, isRead: isRead) }
    } catch StoreError.uncertain {
      modify { $0.endedUncertain() }
    }
  }
}
