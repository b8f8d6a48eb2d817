import ActorBindings
public import ActorBindingsSharing
import Foundation

/// A store in a cluster of etcd: for cells that the processes of a fleet share.
///
/// ```swift
/// let store = try EtcdStore(
///   "http://10.0.0.1:2379",
///   "http://10.0.0.2:2379",
///   "http://10.0.0.3:2379",
///   prefix: "shop/"
/// )
/// let flags = SharedCell("flags", in: store, initially: Flags())
/// ```
///
/// It uses the JSON gateway of etcd 3.4 and later over HTTP. It uses the first endpoint, and goes on to the next one
/// when it has trouble with the one in use. A local port or a descriptor that is missing on this machine is no trouble
/// with an endpoint. Each request has a deadline of 2.5 seconds, and an attempt to connect to one address has 0.7
/// seconds. A write that was sent, but whose answer does not come by then, throws `StoreError.uncertain`.
///
/// The store speaks `http` only. If clients reach the cluster by TLS, run a proxy on the same machine (stunnel, or a
/// sidecar such as Envoy) and use its `http` endpoint, or pass an ``EtcdTransport`` of your own.
///
/// A load of a prefix comes in pages of about a megabyte. A page may take any time, as long as its bytes keep coming.
///
/// A load is linearizable: it contains each write that was acknowledged before it, whichever process wrote. etcd takes
/// about a thousand writes a second, so apply `throttle` to what changes more often before you share it.
public final class EtcdStore: SharedStore {
  /// `etcd at` and the endpoints.
  public let name: String
  /// What this store accepts: entries of a little less than 1.5 MiB, and keys of 1,024 bytes. A lease has at least one
  /// second; etcd grants a longer one if its elections take longer.
  public let limits: StoreLimits
  /// The loops that follow this store.
  public let followers: StoreFollowers

  let client: EtcdClient
  let keys: KeySpace
  /// The sizes of the pages of loads, as the last page of each prefix has shown it: a load after a failure begins with
  /// small pages.
  let pageLimits = BindableActor(PageLimits())

  /// Creates a store in the cluster with these endpoints. Opens no connection.
  ///
  /// - Parameters:
  ///   - endpoints: The URLs of members of the cluster, such as `http://127.0.0.1:2379`; `https` only with a
  ///     `transport`.
  ///   - prefix: The beginning of all keys of this store in etcd. Stores with different prefixes see nothing of each
  ///     other, unless one prefix begins with the other.
  ///   - credentials: The name and password with which the store logs in; nil for a cluster without users.
  ///   - transport: What sends the requests; nil for a ``SocketTransport``, which speaks `http` only.
  ///   - clock: The clock by which deadlines pass, and by which the loops of the cells wait.
  /// - Throws: `StoreError.refused` if there is no endpoint, an endpoint is no URL, an endpoint is `https` and
  ///   there is no `transport`, or the prefix is too long.
  public convenience init(
    _ endpoints: String...,
    prefix: String = "",
    credentials: EtcdCredentials? = nil,
    transport: (any EtcdTransport)? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) throws {
    try self.init(
      endpoints: endpoints,
      prefix: prefix,
      credentials: credentials,
      transport: transport,
      clock: clock
    )
  }

  /// Creates a store in the cluster with these endpoints, as ``init(_:prefix:credentials:transport:clock:)`` does.
  public init(
    endpoints: [String],
    prefix: String = "",
    credentials: EtcdCredentials? = nil,
    transport: (any EtcdTransport)? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) throws {
    let bases = try endpoints.map(Self.base)
    if transport == nil { try bases.forEach(Self.checkIsPlain) }
    if bases.isEmpty { throw StoreError.refused("a store of etcd has no endpoint: pass a URL to EtcdStore") }
    limits = StoreLimits(
      // etcd takes requests of 1.5 MiB, without counting base64. A request names the key three times.
      bytesPerEntry: (3 << 19) - (8 << 10),
      bytesPerKey: 1024,
      shortestTTL: .seconds(1),
      idleLimit: .seconds(3)
    )
    if prefix.utf8.count > limits.bytesPerKey {
      throw StoreError.refused(
        "the prefix of a store of etcd has \(prefix.utf8.count) bytes: use \(limits.bytesPerKey) at most"
      )
    }
    name =
      "etcd at " + bases.map { $0.replacing(/^https?:\/\//.ignoresCase(), with: "") }.joined(separator: ", ")
    followers = StoreFollowers(clock: clock)
    keys = KeySpace(prefix: prefix)
    client = EtcdClient(
      bases,
      credentials: credentials,
      transport: transport ?? SocketTransport(),
      time: Timeline(clock),
      limit: .milliseconds(2500)
    )
  }

  // Returns the endpoint without a slash at its end.
  private static func base(of endpoint: String) throws -> String {
    let url = URL(string: endpoint)
    guard let scheme = url?.scheme?.lowercased(), ["http", "https"].contains(scheme),
      url?.host?.isEmpty == false
    else {
      throw StoreError.refused(
        "the endpoint \"\(endpoint)\" of etcd is no URL: write it like http://127.0.0.1:2379"
      )
    }
    return String(endpoint.reversed().drop { $0 == "/" }.reversed())
  }

  private static func checkIsPlain(_ endpoint: String) throws {
    guard endpoint.lowercased().hasPrefix("https:") else { return }
    throw StoreError.refused(
      """
      the endpoint "\(endpoint)" of etcd needs TLS, which the standard transport does not speak: use the http endpoint \
      of a TLS proxy on this machine, such as stunnel, or pass a transport of your own to EtcdStore
      """
    )
  }

  /// Runs `body`, and says by a `StoreError` what failed.
  func request<R>(key: String? = nil, isWrite: Bool = false, _ body: () async throws -> R) async throws -> R {
    do {
      return try await body()
    } catch let trouble as EtcdTrouble {
      throw trouble.storeError(key: key, isWrite: isWrite, store: name, user: client.credentials?.user)
    }
  }
}
