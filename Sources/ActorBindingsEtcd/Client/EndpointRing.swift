/// The endpoints of a cluster, and the one to use now.
///
/// - Behavior: Trouble at the endpoint in use moves on to the next one, and after the last one to the first. When many
///   requests fail at one endpoint at once, that is one move, because all but the first find another endpoint in use.
///   What this process or its machine lacks, such as a local port or a descriptor, is no trouble at an endpoint, and
///   moves nothing.
package struct EndpointRing: Hashable, Sendable {
  /// The URLs of the endpoints, without a path.
  package let endpoints: [String]
  /// The position of the endpoint to use.
  package private(set) var position = 0

  /// The URL of the endpoint to use.
  package var current: String { endpoints[position] }

  /// - Precondition: There is an endpoint.
  package init(_ endpoints: [String]) {
    precondition(!endpoints.isEmpty, "a ring was created without endpoints")
    self.endpoints = endpoints
  }

  /// Returns the position of the endpoint that is a number of steps after another one.
  package func position(_ steps: Int, after position: Int) -> Int {
    (position + steps) % endpoints.count
  }

  /// A request had trouble at an endpoint.
  package mutating func troubleCame(at position: Int) {
    if position == self.position { self.position = self.position(1, after: position) }
  }
}
