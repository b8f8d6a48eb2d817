// swift-tools-version: 6.3

import PackageDescription

let features: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let settings: [SwiftSetting] = features + [.strictMemorySafety()]
// Each public type of the library says whether it is Sendable.
let librarySettings: [SwiftSetting] = settings + [.treatWarning("ExplicitSendable", as: .error)]

let package = Package(
  name: "swift-actor-bindings",
  // The floor of `Mutex` and `Atomic`.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ActorBindings", targets: ["ActorBindings"])
  ],
  targets: [
    .target(name: "ActorBindings", dependencies: ["CActorBindings"], swiftSettings: librarySettings),
    // Tells the library whether the thread sanitizer is on. Swift code cannot know.
    .target(name: "CActorBindings"),
    .executableTarget(
      name: "Tour",
      dependencies: ["ActorBindings"],
      path: "Sources/Examples/Tour",
      swiftSettings: settings
    ),
    .executableTarget(
      name: "LiveBoard",
      dependencies: ["ActorBindings", .target(name: "Epoll", condition: .when(platforms: [.linux]))],
      path: "Sources/Examples/LiveBoard",
      swiftSettings: settings
    ),
    // What the toolchain's module of the C library leaves out.
    .systemLibrary(name: "Epoll", path: "Sources/Examples/Epoll"),
    .testTarget(
      name: "LiveBoardTests",
      dependencies: ["ActorBindings", "LiveBoard"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ActorBindingsTests",
      dependencies: ["ActorBindings", "Heap"],
      swiftSettings: settings
    ),
    // How much memory is in use, for the soak.
    .target(name: "Heap", path: "Tests/Heap"),
    // What explores schedules; empty without `-D EXPLORER`.
    .target(
      name: "Explorer",
      dependencies: ["ActorBindings"],
      path: "Tests/Explorer",
      swiftSettings: features
    ),
    .testTarget(
      name: "ScheduleTests",
      dependencies: ["ActorBindings", "Explorer"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)

// `ACTORBINDINGS_ONLY=ScheduleTests swift build --build-tests` builds no other tests: planted faults are looked for in a
// package that is compiled again and again.
if let only = Context.environment["ACTORBINDINGS_ONLY"] {
  package.targets.removeAll { ($0.type == .test || $0.type == .executable) && $0.name != only }
}
