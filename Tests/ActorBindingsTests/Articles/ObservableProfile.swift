import Observation

// In a separate file: `@Observable` generates `Observation.ObservationRegistrar`, and in files of this package that
// import `ActorBindings`, `Observation` is a class of the library. Clients do not see that class.

@MainActor
@Observable
final class ObservableProfile {
  var name = ""
}
