// swift-tools-version: 6.3

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "benchmarks", targets: ["Benchmarks"]),
    // Cells over stores. Another program, so that the first one links no store.
    .executable(name: "sharing-benchmarks", targets: ["SharingBenchmarks"]),
  ],
  dependencies: [
    .package(name: "swift-actor-bindings", path: "..")
  ],
  targets: [
    // Counts the calls of the C library's allocator.
    .target(name: "Counting"),
    // Numbers, medians and tables.
    .target(name: "Reporting", swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Counting", "Reporting",
        .product(name: "ActorBindings", package: "swift-actor-bindings"),
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "SharingBenchmarks",
      dependencies: [
        "Counting", "Reporting",
        .product(name: "ActorBindings", package: "swift-actor-bindings"),
        .product(name: "ActorBindingsSharing", package: "swift-actor-bindings"),
        .product(name: "ActorBindingsEtcd", package: "swift-actor-bindings"),
      ],
      swiftSettings: settings
    ),
  ],
  swiftLanguageModes: [.v6]
)
