// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import ChappieSDKRuntime

/// Backup programs exclude a store, each by its own mark.
struct BackupTests {
  private let world = FileStoreWorld()
  /// An open store, so that all of its files exist.
  private let store: ChappieFileThreadStore

  init() async throws {
    store = world.store()
    try await store.create(.sample("a", title: "A walk"))
    try await store.append(.sample("t"), to: "a")
    _ = try await store.threads(ChappieThreadQuery())
  }

  @Test func tarExcludesTheStore() throws {
    let archive = FileStoreWorld()
    try #require(try Program.run("mkdir", archive.directory) != nil)
    let file = archive.path("archive.tar")
    #expect(try Program.run("tar", "--exclude-caches", "-cf", file, "-C", world.directory, ".") != nil)
    let names = try #require(try Program.run("tar", "-tf", file)).split(separator: "\n")
    #expect(names.allSatisfy { $0.hasSuffix("/") || $0.hasSuffix("CACHEDIR.TAG") }, "\(names)")
    // Without exclusion the archive has the files, so the test uses the program correctly.
    #expect(try Program.run("tar", "-cf", file, "-C", world.directory, ".") != nil)
    #expect(try Program.run("tar", "-tf", file)?.contains("threads.db") == true)
    #expect(try world.bytes(".nobackup").isEmpty, "the mark of restic and others")
  }

  private static let attribute = "user.xdg.robots.backup"

  /// Whether `command` succeeds for a file in the directory of stores: not every file system has flags and attributes.
  private static func succeeds(_ command: String...) throws -> Bool {
    let other = FileStoreWorld()
    try #require(try Program.run("mkdir", other.directory) != nil)
    try #require(try Program.run("touch", other.path("file")) != nil)
    return try Program.run(command + [other.path("file")]) != nil
  }

  @Test(
    .enabled(if: Program.isInstalled("getfattr"), "getfattr is not installed"),
    .enabled(if: try succeeds("setfattr", "-n", attribute, "-v", "false"), "the file system has no attributes"))
  func theBackupAttributeIsFalse() throws {
    for file in ["", "threads.db", "threads.db-wal", "threads.db-shm"] {
      let value = try Program.run(
        "getfattr", "--only-values", "--absolute-names", "-n", Self.attribute, world.path(file))
      #expect(value == "false", "\(file)")
    }
  }

  @Test(
    .enabled(if: Program.isInstalled("lsattr"), "lsattr is not installed"),
    .enabled(if: try succeeds("chattr", "+d"), "the file system has no such flag"))
  func theNoDumpFlagIsSet() throws {
    for file in ["", "threads.db", "threads.db-wal"] {
      let flags = try #require(try Program.run("lsattr", "-d", world.path(file))).prefix { $0 != " " }
      #expect(flags.contains("d"), "\(file): \(flags)")
    }
  }
}

/// Runs a program to its end.
enum Program {
  static func isInstalled(_ name: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
    }
  }

  static func run(_ arguments: String...) throws -> String? { try run(arguments) }

  /// - Returns: its output; nil if it failed.
  static func run(_ arguments: [String]) throws -> String? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: text, as: UTF8.self) : nil
  }
}
