public import Observation

/// A cell as an observable property: of a model that views follow by `@Observable`, and of its own for `Observations`.
///
/// ```swift
/// @MainActor @Observable
/// final class ProfileModel {
///   let user: ObservableCell<User>
///   init(_ user: BindableActor<User>) { self.user = ObservableCell(user) }
///   var title: String { user.value.name }                  // tracked, as a stored property would be
/// }
/// ```
///
/// It lives on the isolation where it is made, and changes there alone. What is computed of it and set again overwrites what
/// others have written meanwhile, as `+=` would: for that there is the cell's `modify`. The way back, from a model to a
/// cell, is `cell.follow(Observations { model.draft })`, where there is `Observations`.
public final class ObservableCell<Value: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private let cell: BindableActor<Value>
  private var current: Value
  private var version: UInt64

  /// The property that shows `cell`.
  ///
  /// - Parameters:
  ///   - cell: Is kept alive, so that it can be written.
  ///   - isolation: Where this lives.
  public init(_ cell: BindableActor<Value>, isolation: isolated any Actor = #isolation) {
    self.cell = cell
    let newest = cell.cell.locked { $0.draft($1) }
    (current, version) = (newest.value, newest.version)
    cell.versioned().observe(self, isolation: isolation) { $0.show($1.value, $1.version) }
  }

  /// What the cell holds, as far as this isolation has come. To set it sends to the cell.
  public var value: Value {
    get {
      registrar.access(self, keyPath: \.value)
      return current
    }
    set {
      cell.send(newValue)
      let newest = cell.cell.locked { $0.draft($1) }
      show(newest.value, newest.version)
    }
  }

  private func show(_ value: Value, _ version: UInt64) {
    // What was set here is known already.
    guard version > self.version else { return }
    self.version = version
    registrar.withMutation(of: self, keyPath: \.value) { current = value }
  }
}

// It lives on one isolation.
@available(*, unavailable)
extension ObservableCell: Sendable {}
