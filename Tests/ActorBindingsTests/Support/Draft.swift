import Observation

/// An ordinary `@Observable` model. (It has a file of its own, which does not import `ActorBindings`: the code of the
/// macro refers to the module `Observation`, which in this package is also the name of a class.)
@MainActor @Observable
final class Draft {
  var text = "draft"
}
