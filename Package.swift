// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "swift-actor-bindings",
  // The floor of `Mutex` and `Atomic`.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ActorBindings", targets: ["ActorBindings"])
  ],
  targets: [
    .target(name: "ActorBindings", swiftSettings: settings),
    .executableTarget(name: "Tour", dependencies: ["ActorBindings"], swiftSettings: settings),
    .testTarget(
      name: "ActorBindingsTests",
      dependencies: ["ActorBindings"],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
