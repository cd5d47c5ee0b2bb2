// swift-tools-version: 6.2
import PackageDescription

// The address of this repository; each release has a tag with its version.
let chappie = Package.Dependency.package(url: "https://example.org/chappie.git", .upToNextMinor(from: "0.2.0"))
let libraries: [Target.Dependency] = ["ChappieSDK", "ChappieSDKRuntime", "ChappieSDKTesting"].map {
  .product(name: $0, package: "chappie")
}
let programs = ["accounts", "cancel", "chat", "resume", "tools"]

let package = Package(
  name: "examples",
  dependencies: [chappie],
  targets: [
    .target(name: "ExampleSupport", dependencies: libraries),
    .target(name: "FolderStore", dependencies: libraries),
    .testTarget(name: "ExampleTests", dependencies: ["FolderStore"] + libraries),
  ]
    + programs.map { name in
      .executableTarget(
        name: "example-\(name)", dependencies: ["ExampleSupport"] + libraries, path: "Sources/\(name)")
    }
)
