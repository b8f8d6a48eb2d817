// swift-tools-version: 6.3

import PackageDescription

let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let settings: [SwiftSetting] = features + [.strictMemorySafety()]
// Each public type of the library must declare whether it is Sendable.
let librarySettings: [SwiftSetting] = settings + [.treatWarning("ExplicitSendable", as: .error)]

let package = Package(
  name: "swift-actor-bindings",
  // The first versions with `Mutex` and `Atomic`.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ActorBindings", targets: ["ActorBindings"]),
    // Cells that several processes share, over a store.
    .library(name: "ActorBindingsSharing", targets: ["ActorBindingsSharing"]),
    // A store in etcd, for cells that the machines of a fleet share: over `http`, and over `https` with a transport of
    // the user's own.
    .library(name: "ActorBindingsEtcd", targets: ["ActorBindingsEtcd"]),
    // What tests of code with cells need, and what tests of stores need.
    .library(name: "ActorBindingsTesting", targets: ["ActorBindingsTesting"]),
    // Runs tests of concurrent code under every schedule, in a package that turns on the trait.
    .library(name: "ActorBindingsExplorer", targets: ["ActorBindingsExplorer"]),
  ],
  traits: [
    .trait(
      name: "Explorer",
      description:
        "Lets ActorBindingsExplorer decide which thread runs. For tests: it makes each lock slower."
    )
  ],
  targets: [
    .target(name: "ActorBindings", dependencies: ["CActorBindings"], swiftSettings: librarySettings),
    // Tells the library whether the thread sanitizer is on, and whether the program contains the test kit. Swift code
    // cannot know.
    .target(name: "CActorBindings"),
    .target(
      name: "ActorBindingsSharing",
      dependencies: ["ActorBindings", .target(name: "Inotify", condition: .when(platforms: [.linux]))],
      swiftSettings: librarySettings
    ),
    // Functions of Linux that the toolchain's module of the C library leaves out.
    .systemLibrary(name: "Inotify", path: "Sources/Inotify"),
    .target(
      name: "ActorBindingsEtcd",
      dependencies: ["ActorBindings", "ActorBindingsSharing"],
      swiftSettings: librarySettings
    ),
    .target(
      name: "ActorBindingsTesting",
      dependencies: ["ActorBindings", "ActorBindingsSharing", "CActorBindingsTesting"],
      swiftSettings: librarySettings
    ),
    // Tells the library that the program contains the test kit.
    .target(name: "CActorBindingsTesting", dependencies: ["CActorBindings"]),
    // Without the trait, it has one type: a mutex.
    .target(
      name: "ActorBindingsExplorer",
      dependencies: ["ActorBindings", "CActorBindingsExplorer"],
      swiftSettings: features + [.treatWarning("ExplicitSendable", as: .error)]
    ),
    // Interposes the function of the runtime that moves a task to another actor.
    .target(
      name: "CActorBindingsExplorer",
      cSettings: [.define("EXPLORER", .when(traits: ["Explorer"]))]
    ),
    .executableTarget(
      name: "Tour",
      dependencies: ["ActorBindings"],
      path: "Sources/Examples/Tour",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "LiveBoard",
      dependencies: ["ActorBindings", "WebServer"],
      path: "Sources/Examples/LiveBoard",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "ClusterBoard",
      dependencies: ["ActorBindings", "ActorBindingsSharing", "ActorBindingsEtcd", "WebServer"],
      path: "Sources/Examples/ClusterBoard",
      swiftSettings: settings
    ),
    // A small HTTP server, which the examples share. It is no product: a program would use a server from a package.
    .target(
      name: "WebServer",
      dependencies: ["ActorBindings", .target(name: "Epoll", condition: .when(platforms: [.linux]))],
      path: "Sources/Examples/WebServer",
      swiftSettings: settings
    ),
    // C functions that the toolchain's module of the C library leaves out.
    .systemLibrary(name: "Epoll", path: "Sources/Examples/Epoll"),
    .testTarget(
      name: "LiveBoardTests",
      dependencies: ["ActorBindings", "LiveBoard", "WebServer"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ActorBindingsTests",
      dependencies: ["ActorBindings", "Heap"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ActorBindingsSharingTests",
      dependencies: [
        "ActorBindings", "ActorBindingsSharing", "ActorBindingsEtcd", "ActorBindingsTesting",
        "FileStoreWriter",
      ],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ActorBindingsTestingTests",
      dependencies: ["ActorBindings", "ActorBindingsTesting"],
      swiftSettings: settings
    ),
    // Writes a page that runs the JavaScript of the article *Over a connection*.
    .executableTarget(
      name: "ChangeWriter",
      dependencies: ["ActorBindings"],
      path: "Tests/ChangeWriter",
      swiftSettings: settings
    ),
    // The other processes of the tests of FileStore.
    .executableTarget(
      name: "FileStoreWriter",
      dependencies: ["ActorBindings", "ActorBindingsSharing"],
      path: "Tests/FileStoreWriter",
      swiftSettings: settings
    ),
    .testTarget(
      name: "ActorBindingsEtcdTests",
      dependencies: [
        "ActorBindings", "ActorBindingsSharing", "ActorBindingsEtcd", "ActorBindingsTesting",
        "CounterHistory", "Loopback",
      ],
      swiftSettings: settings
    ),
    // Checks whether increments and reads of one counter are linearizable.
    .target(name: "CounterHistory", path: "Tests/CounterHistory", swiftSettings: settings),
    // Blocking sockets, for proxies and servers of tests.
    .target(name: "Loopback", path: "Tests/Loopback", swiftSettings: settings),
    // Kills and freezes processes that share cells over etcd, and checks what is left.
    .executableTarget(
      name: "FleetTrial",
      dependencies: [
        "ActorBindings", "ActorBindingsSharing", "ActorBindingsEtcd", "CounterHistory", "Loopback",
      ],
      path: "Tests/FleetTrial",
      swiftSettings: settings
    ),
    // Reports the memory in use, for the soak test.
    .target(name: "Heap", path: "Tests/Heap"),
    .testTarget(
      name: "ScheduleTests",
      dependencies: ["ActorBindings", "ActorBindingsExplorer", "ActorBindingsTesting"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)

// `ACTORBINDINGS_ONLY=ScheduleTests swift build --build-tests` builds no other tests, because the search for planted
// faults compiles the package many times.
if let only = Context.environment["ACTORBINDINGS_ONLY"] {
  let needed = package.targets.first { $0.name == only }?.dependencies ?? []
  package.targets.removeAll { target in
    let isNeeded = needed.contains { if case .byNameItem(target.name, _) = $0 { true } else { false } }
    return (target.type == .test || target.type == .executable) && target.name != only && !isNeeded
  }
}

// `ACTORBINDINGS_TESTS="Support Loading/RetryTests.swift" swift build --build-tests` compiles only these files and
// folders of ActorBindingsTests: for a short way from a change to its tests.
if let parts = Context.environment["ACTORBINDINGS_TESTS"] {
  let tests = package.targets.first { $0.name == "ActorBindingsTests" }
  tests?.sources = parts.split(separator: " ").map(String.init)
}

// `ACTORBINDINGS_PLAIN_TESTS=1 swift build -c release --build-tests` optimizes the library, and not the tests: to
// optimize the tests takes the compiler four times as long as everything else.
if Context.environment["ACTORBINDINGS_PLAIN_TESTS"] != nil {
  for target in package.targets where target.type == .test {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
  }
}
