// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "sign-in",
  dependencies: [.package(url: "https://example.org/chappie.git", .upToNextMinor(from: "0.2.0"))],
  targets: [
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .executableTarget(
      name: "sign-in",
      dependencies: [
        "CGTK", .product(name: "ChappieSDK", package: "chappie"),
        .product(name: "ChappieSDKTesting", package: "chappie"),
      ]),
  ]
)
