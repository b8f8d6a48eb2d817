public import Observation

/// A cell as an observable property. Views can follow it in an `@Observable` model, and `Observations` can follow it
/// directly.
///
/// ```swift
/// @MainActor @Observable
/// final class ProfileModel {
///   let user: ObservableCell<User>
///   init(_ user: BindableActor<User>) { self.user = ObservableCell(user) }
///   // Tracked, as a stored property would be:
///   var title: String { user.value.name }
/// }
/// ```
///
/// The property lives on the isolation where you make it, and changes only there. To compute a new value from the
/// current one, use `modify`. If you read `value` and then set it, as `+=` does, you overwrite what other writers have
/// written meanwhile. To write from a model to a cell, use `cell.follow(Observations { model.draft })`, where
/// `Observations` is available.
public final class ObservableCell<Value: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private let cell: BindableActor<Value>
  private var current: Value
  private var version: UInt64

  /// Creates a property that shows `cell`.
  ///
  /// - Parameters:
  ///   - cell: The cell. The property keeps it alive, to write to it.
  ///   - isolation: The isolation on which the property lives.
  public init(_ cell: BindableActor<Value>, isolation: isolated any Actor = #isolation) {
    self.cell = cell
    let newest = cell.cell.draft
    (current, version) = (newest.value, newest.version)
    cell.versioned().observe(self, isolation: isolation) { $0.show($1.value, $1.version) }
  }

  /// The newest value of the cell that has arrived on this isolation. Setting this property sends the new value to the
  /// cell.
  public var value: Value {
    get {
      registrar.access(self, keyPath: \.value)
      return current
    }
    set {
      cell.send(newValue)
      showNewest()
    }
  }

  /// Changes the cell's current value in place, atomically. When this method returns, `value` is the changed value, or
  /// a newer one.
  ///
  /// ```swift
  /// user.modify { user in user.visits += 1 }
  /// ```
  ///
  /// - Parameter body: Changes a copy of the cell's value, without a lock, as the body of ``BindableActor/modify(_:)``
  ///   does. It may run again, so it should have no other effect. If it throws, nothing changes.
  /// - Returns: The result of the run of `body` whose change was published.
  @discardableResult
  public func modify<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
    let result = try cell.modify(body)
    showNewest()
    return result
  }

  private func showNewest() {
    let newest = cell.cell.draft
    show(newest.value, newest.version)
  }

  private func show(_ value: Value, _ version: UInt64) {
    // `showNewest` has shown this version already, or a newer one.
    guard version > self.version else { return }
    self.version = version
    registrar.withMutation(of: self, keyPath: \.value) { current = value }
  }
}

// A property lives on one isolation.
@available(*, unavailable)
extension ObservableCell: Sendable {}
