// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// The directories of the headers of GLib, libsecret and libsoup. The system's own files for pkg-config have flags of
// which SwiftPM warns in each build of each program with the libraries; and it asks for those of targets that the program
// does not use.
let headers = "\(Context.packageDirectory)/Sources/CGLib/headers.pc"

let package = Package(
  name: "chappie",
  products: [
    .library(name: "ChappieSDK", targets: ["ChappieSDK"]),
    .library(name: "ChappieSDKRuntime", targets: ["ChappieSDKRuntime"]),
    .library(name: "ChappieLanguageModel", targets: ["ChappieLanguageModel"]),
    .library(name: "ChappieMCP", targets: ["ChappieMCP"]),
    .library(name: "ChappieSDKTesting", targets: ["ChappieSDKTesting"]),
    .executable(name: "chappied", targets: ["chappied"]),
    .executable(name: "chappie", targets: ["chappie"]),
    .executable(name: "chappie-sandbox", targets: ["chappie-sandbox"]),
  ],
  traits: [
    .default(enabledTraits: ["FoundationTypes"]),
    // The service's programs are built without: it costs chappied 0.4 MB of memory and 8 MB of file.
    .trait(
      name: "FoundationTypes",
      description: "Errors are LocalizedErrors, times are Dates and addresses URLs, of FoundationEssentials."),
  ],
  targets: [
    .systemLibrary(name: "CGLib", pkgConfig: headers),
    .systemLibrary(name: "CPlatform"),
    .systemLibrary(name: "CLibsecret", pkgConfig: headers),
    .systemLibrary(name: "CLibsoup", pkgConfig: headers),
    .systemLibrary(name: "CGnuTLS"),
    .systemLibrary(name: "CSodium"),
    .systemLibrary(name: "CMD4C"),
    .systemLibrary(name: "CSQLite"),
    .systemLibrary(name: "CZstd"),

    .target(name: "CWipingHeap"),
    .target(name: "SecretMemory", dependencies: ["CSodium"], swiftSettings: settings),
    .target(name: "CSignatures"),
    .target(name: "Signatures", dependencies: ["CSignatures"], swiftSettings: settings),
    .target(name: "Signing", dependencies: ["CGnuTLS", "Signatures"], swiftSettings: settings),
    .target(name: "SQLite", dependencies: ["CSQLite", "Platform"], swiftSettings: settings),
    .target(name: "Platform", dependencies: ["CPlatform", "CZstd", "SecretMemory"], swiftSettings: settings),
    .target(
      name: "GLibBridge", dependencies: ["CGLib", "CLibsecret", "CLibsoup", "Platform", "SecretMemory"],
      swiftSettings: settings),
    .target(name: "HTTPTestServer", dependencies: ["CGLib", "CLibsoup", "GLibBridge"], swiftSettings: settings),
    .target(name: "CLineEditor", linkerSettings: [.linkedLibrary("edit")]),
    .target(name: "LineEditing", dependencies: ["CLineEditor", "GLibBridge", "Platform"], swiftSettings: settings),
    .target(name: "AnswerRendering", dependencies: ["CMD4C", "GLibBridge", "Platform"], swiftSettings: settings),
    .target(
      name: "ChappieSDK", dependencies: ["GLibBridge", "Platform", "SecretMemory", "Signatures"],
      resources: [.embedInCode("PRIVACY.md")], swiftSettings: settings),
    .target(
      name: "ChappieSDKRuntime", dependencies: ["ChappieSDK", "GLibBridge", "Platform", "SecretMemory", "SQLite"],
      exclude: ["Stores/File/FORMAT.md"], swiftSettings: settings),
    .target(name: "ChappieLanguageModel", dependencies: ["ChappieSDK"], swiftSettings: settings),
    .target(
      name: "ChappieMCP", dependencies: ["ChappieSDK", "GLibBridge", "Platform", "SecretMemory"],
      swiftSettings: settings),
    .target(
      name: "ChappieBusInterfaces", path: "dbus", exclude: ["org.chappie.service.in", "org.chappie.ToolHandler.xml"],
      resources: [
        .embedInCode("org.chappie.Manager.xml"),
        .embedInCode("org.chappie.Session.xml"),
        .embedInCode("org.chappie.Client.xml"),
        .embedInCode("org.chappie.Threads.xml"),
        .embedInCode("org.freedesktop.DBus.ObjectManager.xml"),
      ], swiftSettings: settings),
    .target(
      name: "ServiceConfiguration", dependencies: ["ChappieSDK", "ChappieSDKRuntime", "GLibBridge", "Platform"],
      swiftSettings: settings),
    .target(name: "Templates", dependencies: ["GLibBridge", "Platform"], swiftSettings: settings),
    .target(
      name: "ChappieService",
      dependencies: [
        "ChappieMCP", "ChappieSDK", "ChappieSDKRuntime", "GLibBridge", "Platform", "ChappieBusInterfaces",
        "ServiceConfiguration", "Templates",
      ],
      swiftSettings: settings),
    .target(
      name: "ChappieSDKTesting",
      dependencies: [
        "ChappieSDK", "ChappieSDKRuntime", "GLibBridge", "HTTPTestServer", "Platform", "SecretMemory", "Signatures",
        "Signing",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "chappie-sandbox", dependencies: ["ChappieSDKTesting", "GLibBridge", "Platform"], exclude: ["README.md"],
      swiftSettings: settings),
    .executableTarget(
      name: "chappied",
      dependencies: [
        "ChappieMCP", "ChappieService", "ServiceConfiguration", "ChappieSDK", "GLibBridge", "Platform", "CWipingHeap",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "chappie",
      dependencies: [
        "AnswerRendering", "ChappieMCP", "ChappieSDK", "ChappieSDKRuntime", "GLibBridge", "LineEditing", "Platform",
        "SecretMemory", "ServiceConfiguration", "Templates",
      ],
      resources: [
        .embedInCode("Verbs/Shell/chappie.bash"),
        .embedInCode("Verbs/Shell/chappie.fish"),
        .embedInCode("Verbs/Shell/chappie.zsh"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "example-ask", dependencies: ["ChappieSDK", "ChappieSDKTesting"], path: "Examples/Ask", packageAccess: false
    ),
    .target(
      name: "ExampleSupport", dependencies: ["ChappieSDK", "ChappieSDKTesting"],
      path: "Examples/Swift/Sources/ExampleSupport"),
    .target(name: "FolderStore", dependencies: ["ChappieSDKRuntime"], path: "Examples/Swift/Sources/FolderStore"),
    .executableTarget(
      name: "library-host", dependencies: ["CGLib", "ChappieSDK", "ChappieSDKRuntime", "GLibBridge", "SecretMemory"],
      path: "Tests/LibraryHost", swiftSettings: settings),
    .executableTarget(
      name: "tool-server-host", dependencies: ["ChappieMCP", "GLibBridge"], path: "Tests/ToolServerHost",
      swiftSettings: settings),
    .executableTarget(
      name: "thread-bench", dependencies: ["ChappieSDKRuntime", "ChappieSDK", "GLibBridge", "SecretMemory"],
      path: "Benchmarks/Threads", swiftSettings: settings),

    .testTarget(
      name: "ChappieSDKRuntimeTests",
      dependencies: [
        "ChappieSDKRuntime", "ChappieSDKTesting", "ChappieSDK", "GLibBridge", "Platform", "SQLite", "SecretMemory",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(name: "SecretMemoryTests", dependencies: ["SecretMemory"], swiftSettings: settings),
    .testTarget(name: "SignaturesTests", dependencies: ["Signatures", "Signing"], swiftSettings: settings),
    .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "Platform"], swiftSettings: settings),
    .testTarget(
      name: "AnswerRenderingTests", dependencies: ["AnswerRendering", "GLibBridge", "TestSupport"],
      exclude: ["Screens"], swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["GLibBridge", "Platform"], path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "GLibBridgeTests",
      dependencies: ["GLibBridge", "HTTPTestServer", "Platform", "SecretMemory", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ChappieSDKTests",
      dependencies: [
        "ChappieSDK", "ChappieSDKTesting", "GLibBridge", "HTTPTestServer", "Platform", "SecretMemory", "Signatures",
        "Signing",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ChappieLanguageModelTests", dependencies: ["ChappieLanguageModel", "ChappieSDK", "ChappieSDKTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "ChappieMCPTests",
      dependencies: ["ChappieMCP", "ChappieSDK", "GLibBridge", "Platform", "SecretMemory", "TestSupport"],
      exclude: ["Servers"], swiftSettings: settings),
    .testTarget(
      name: "ChappieSDKTestingTests",
      dependencies: ["ChappieSDKTesting", "ChappieSDK", "GLibBridge", "Platform", "Signatures", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "TemplatesTests", dependencies: ["Templates", "GLibBridge", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ServiceConfigurationTests",
      dependencies: ["ServiceConfiguration", "ChappieSDK", "ChappieSDKRuntime", "Platform", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ChappieServiceTests",
      dependencies: [
        "ChappieService", "ChappieBusInterfaces", "ChappieSDK", "ChappieSDKRuntime", "GLibBridge", "Platform",
        "ServiceConfiguration", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "Integration",
      dependencies: [
        "ChappieSDKTesting", "ChappieSDK", "GLibBridge", "HTTPTestServer", "Platform", "SQLite",
        "ChappieBusInterfaces", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ExampleTests", dependencies: ["FolderStore", "ChappieSDKRuntime", "ChappieSDKTesting"],
      path: "Examples/Swift/Tests/ExampleTests"),
  ]
    // The programs of the package in Examples/Swift, with the compiler's own settings, as they have there.
    + ["accounts", "cancel", "chat", "resume", "tools"].map { name in
      .executableTarget(
        name: "example-\(name)", dependencies: ["ExampleSupport", "ChappieSDKRuntime"],
        path: "Examples/Swift/Sources/\(name)")
    },
  swiftLanguageModes: [.v6]
)
