import Observation

// In a file of its own: `@Observable` writes `Observation.ObservationRegistrar`, and where `ActorBindings` is imported
// within this package that name is a class of the library's. Clients do not see that class.

@MainActor
@Observable
final class ObservableProfile {
  var name = ""
}
