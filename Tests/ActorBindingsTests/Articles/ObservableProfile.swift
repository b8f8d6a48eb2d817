import Observation

// This class has a file of its own, which does not import `ActorBindings`: `@Observable` generates
// `Observation.ObservationRegistrar`, and in a file of this package with that import, `Observation` is a class of the
// library. Clients do not see that class.

@MainActor
@Observable
final class ObservableProfile {
  var name = ""
}
