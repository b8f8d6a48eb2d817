import Observation

/// An ordinary `@Observable` model. (In a separate file: the macro's code refers to the module `Observation`, and in
/// this package that is also a class.)
@MainActor @Observable
final class Draft {
  var text = "draft"
}
