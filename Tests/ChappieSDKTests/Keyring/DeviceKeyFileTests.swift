// SPDX-License-Identifier: Apache-2.0
import Foundation
import GLibBridge
import Platform
import SecretMemory
import Testing

@testable import ChappieSDK

/// The device key in its file.
@GLibActor
final class DeviceKeyFileTests {
  private let root = FileManager.default.temporaryDirectory.appending(path: "chappie-device-key-\(UUID().uuidString)")
  private let source: DeviceKeyFile

  init() throws {
    source = DeviceKeyFile(directory: StorageDirectory(root.appending(path: "state/chappie").path))
  }

  deinit {
    try? FileManager.default.removeItem(at: root)
  }

  private func failureReason(_ body: () async throws -> Void) async -> String {
    let error = await #expect(throws: SecretStoreError.self) { try await body() }
    if case .unavailable(let reason)? = error { return reason }
    return "another error"
  }

  @Test func keyIsCreatedOnceAndPrivate() async throws {
    #expect(try await source.existing() == nil)
    let key = try await source.made()
    #expect(key.count == 32)
    #expect(try await source.made().isEqual(to: key))
    #expect(try await source.existing()?.isEqual(to: key) == true)
    let other = DeviceKeyFile(directory: StorageDirectory(root.appending(path: "other").path))
    #expect(try await !other.made().isEqual(to: key))

    let file = try FileManager.default.attributesOfItem(atPath: source.description)
    #expect(file[.posixPermissions] as? Int == 0o600)
    #expect(file[.size] as? Int == 32)
    let folder = URL(filePath: source.description).deletingLastPathComponent()
    #expect(try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int == 0o700)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    // It is in no backup, and no partial file is left.
    #expect(Set(names) == ["device-key", "CACHEDIR.TAG", ".nobackup"])
  }

  @Test func concurrentProgramsGetTheSameKey() async throws {
    for round in 0..<10 {
      let source = DeviceKeyFile(directory: StorageDirectory(root.appending(path: "race-\(round)").path))
      let makers = (0..<8).map { _ in Task { try await source.made() } }
      let first = try await makers[0].value
      for maker in makers { #expect(try await maker.value.isEqual(to: first)) }
    }
  }

  // MARK: Something else in its place

  /// The source neither uses nor changes a foreign file.
  @Test(arguments: [
    ("a symbolic link", "it is a symbolic link"), ("a link to nowhere", "it is a symbolic link"),
    ("readable", "mode must be 0600"), ("writable", "mode must be 0600"), ("short", "it has 31 bytes"),
    ("long", "it has 33 bytes"), ("empty", "it has 0 bytes"), ("a directory", "not a regular file"),
    ("a pipe", "not a regular file"),
  ])
  func refusesAForeignFileAndKeepsIt(_ what: String, _ reason: String) async throws {
    let path = source.description
    let files = FileManager.default
    try files.createDirectory(atPath: source.directory.path, withIntermediateDirectories: true)
    func write(_ count: Int, mode: Int = 0o600) {
      _ = files.createFile(atPath: path, contents: Data(count: count), attributes: [.posixPermissions: mode])
    }
    switch what {
    case "a symbolic link":
      let target = root.appending(path: "target").path
      _ = files.createFile(atPath: target, contents: Data(count: 32), attributes: [.posixPermissions: 0o600])
      try files.createSymbolicLink(atPath: path, withDestinationPath: target)
    case "a link to nowhere": try files.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
    case "readable": write(32, mode: 0o640)
    case "writable": write(32, mode: 0o602)
    case "short": write(31)
    case "long": write(33)
    case "empty": write(0)
    case "a directory": try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: try #require(mkfifo(path, 0o600) == 0)
    }
    let before = try files.attributesOfItem(atPath: path) as NSDictionary
    for use in [{ _ = try await self.source.existing() }, { _ = try await self.source.made() }] {
      let message = await self.failureReason(use)
      #expect(message.contains(reason) && message.contains(path), "\(message)")
    }
    #expect(try files.attributesOfItem(atPath: path) as NSDictionary == before)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func refusesAnotherUsersKey() async throws {
    _ = try await source.made()
    try #require(chown(source.description, 65534, 65534) == 0)
    let message = await failureReason { _ = try await self.source.made() }
    #expect(message.contains("belongs to another user"))
  }

  @Test func failsWithoutItsDirectory() async throws {
    _ = FileManager.default.createFile(atPath: root.path, contents: Data())
    #expect(try await source.existing() == nil)
    let message = await failureReason { _ = try await self.source.made() }
    #expect(message.contains("device-key"), "\(message)")
  }
}
