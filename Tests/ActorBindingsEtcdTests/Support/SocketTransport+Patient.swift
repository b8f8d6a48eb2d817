import ActorBindingsEtcd

extension SocketTransport {
  /// Creates a transport whose connections wait for the next request for ten minutes: on a busy machine more than the
  /// usual 15 seconds may pass between two steps of a test.
  static func patient(idleLimit: Duration = .seconds(60)) -> SocketTransport {
    SocketTransport(idleLimit: idleLimit, longestWait: .seconds(600), streamLimit: 16)
  }
}
