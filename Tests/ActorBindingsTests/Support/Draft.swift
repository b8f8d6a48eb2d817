import Observation

/// A model as others write them. (In a file of its own: what the macro writes means the module `Observation`, and in this
/// package that is a class too.)
@MainActor @Observable
final class Draft {
  var text = "draft"
}
