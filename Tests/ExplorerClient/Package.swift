// swift-tools-version: 6.3

import PackageDescription

// A separate package, as a user would write it to explore schedules. `.ci/run trait` tests it without the trait and with
// it.
let package = Package(
  name: "Shop",
  platforms: [.macOS(.v15)],
  traits: [.trait(name: "Explore", description: "Runs the tests of schedules.")],
  dependencies: [
    .package(
      name: "swift-actor-bindings",
      path: "../..",
      traits: [.trait(name: "Explorer", condition: .when(traits: ["Explore"]))]
    )
  ],
  targets: [
    .target(
      name: "Shop",
      dependencies: [.product(name: "ActorBindingsExplorer", package: "swift-actor-bindings")]
    ),
    .testTarget(
      name: "ShopTests",
      dependencies: ["Shop", .product(name: "ActorBindingsExplorer", package: "swift-actor-bindings")]
    ),
  ],
  swiftLanguageModes: [.v6]
)
