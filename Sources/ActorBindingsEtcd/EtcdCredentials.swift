/// The name and password of a user of etcd.
public struct EtcdCredentials: Hashable, Sendable {
  /// The name of the user.
  public var user: String
  /// The password. Descriptions leave it out.
  public var password: String

  /// Creates credentials.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension EtcdCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the user.
  public var description: String { "the user \(user)" }
  /// The name of the user.
  public var debugDescription: String { description }
  /// The name of the user.
  public var customMirror: Mirror { Mirror(self, children: ["user": user]) }
}
