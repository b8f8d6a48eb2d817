// swift-tools-version: 6.3

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "benchmarks", targets: ["Benchmarks"])
  ],
  dependencies: [
    .package(name: "swift-actor-bindings", path: "..")
  ],
  targets: [
    // Counts the calls of the C library's allocator.
    .target(name: "Counting"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Counting",
        .product(name: "ActorBindings", package: "swift-actor-bindings"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
