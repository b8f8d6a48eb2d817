/// The endpoints of a cluster, and the one to use now.
///
/// - Behavior: Trouble at the endpoint in use moves on to the next one, and after the last one to the first. When many
///   requests fail at one endpoint at once, that is one move, because all but the first find another endpoint in use.
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

  /// A request had trouble at an endpoint.
  package mutating func troubleCame(at position: Int) {
    if position == self.position { self.position = (position + 1) % endpoints.count }
  }
}
