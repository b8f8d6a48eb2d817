// swift-tools-version: 6.3

import PackageDescription

// A separate package, like that of a user. `.ci/run client` builds it with `--sanitize=thread` and no other option, and
// runs it. Its tests use the test kit from XCTest.
let package = Package(
  name: "Client",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "swift-actor-bindings", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Client",
      dependencies: [.product(name: "ActorBindings", package: "swift-actor-bindings")]
    ),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        .product(name: "ActorBindings", package: "swift-actor-bindings"),
        .product(name: "ActorBindingsTesting", package: "swift-actor-bindings"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
