// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import ChappieSDK

struct DeviceSealTests {
  private static let machine = Array("0123456789abcdef0123456789abcdef".utf8)
  private static let otherMachine = Array("fedcba9876543210fedcba9876543210".utf8)
  private static let deviceKey = SecretBytes(0..<32)
  private static let otherKey = SecretBytes(1..<33)

  private static let here = DeviceSeal(machineID: machine, deviceKey: deviceKey, place: .file)
  /// A copied home on another machine: the device key without the machine id.
  private static let elsewhere = DeviceSeal(machineID: otherMachine, deviceKey: deviceKey, place: .file)
  /// A sandbox on this machine: the machine id without the device key.
  private static let inSandbox = DeviceSeal(machineID: machine, deviceKey: otherKey, place: .file)
  private static let context = Array("slot".utf8)
  private static let secret = SecretBytes("what is sealed".utf8)

  private static func line() -> String {
    here.seal(secret, context: context).withBytes { String(decoding: $0, as: UTF8.self) }
  }

  private static func open(_ line: String, _ seal: DeviceSeal = here, _ context: [UInt8] = context) -> DeviceSeal.Opened
  {
    DeviceSeal.SealedLine(SecretBytes(line.utf8)).map { seal.open($0, context: context) } ?? .damaged
  }

  private static func isDamaged(_ opened: DeviceSeal.Opened) -> Bool {
    if case .damaged = opened { return true }
    return false
  }

  @Test func sealsToOneLineOfASCIIThatOpens() throws {
    let line = Self.line()
    #expect(line.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    #expect(line.hasPrefix("chappie2:file:\(Self.here.deviceName):"))
    #expect(!line.contains("sealed"))
    guard case .secret(let opened) = Self.open(line) else { throw UnmetCondition("the secret") }
    #expect(opened.isEqual(to: Self.secret))
  }

  /// The same key in the TPM and in a file makes two devices.
  @Test(arguments: [elsewhere, inSandbox, DeviceSeal(machineID: machine, deviceKey: deviceKey, place: .tpm2)])
  func opensOnlyOnThisMachineWithThisKeyInItsPlace(_ other: DeviceSeal) throws {
    guard case .otherDevice = Self.open(Self.line(), other) else { throw UnmetCondition("another device") }
    // A forged device name in the line does not help where the key differs.
    guard other.place == .file else { return }
    let parts = Self.line().split(separator: ":")
    let renamed = "\(parts[0]):\(parts[1]):\(other.deviceName):\(parts[3])"
    #expect(Self.isDamaged(Self.open(renamed, other)))
  }

  @Test func detectsAnotherContextAndEachChangedOrMissingByte() throws {
    let line = Self.line()
    for context in [Array("other".utf8), []] { #expect(Self.isDamaged(Self.open(line, Self.here, context))) }
    for count in 0..<line.count {
      if case .secret = Self.open(String(line.prefix(count))) { Issue.record("opened with \(count) characters") }
    }
    let parts = line.split(separator: ":")
    let sealed = try #require(Data(base64Encoded: String(parts[3])))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      let tampered = "\(parts[0]):\(parts[1]):\(parts[2]):\(changed.base64EncodedString())"
      #expect(Self.isDamaged(Self.open(tampered)), "byte \(index)")
    }
  }

  @Test(arguments: [
    "", ":", "::", ":::", "chappie2:", "chappie2:file:NAME", "chappie2:file:NAME:", "chappie2:file:NAME:*",
    "chappie2:file:NAME:QUJD", "chappie1:NAME:QUJD", "chappie1:file:NAME:QUJD", "chappie2:disk:NAME:QUJD",
    "chappie2:file:NAME:QUJD:QUJD", "{\"access_token\":\"a\"}", "\0\u{1}", "chappie2:file:NAME:QUJD\n",
  ])
  func garbageIsDamaged(_ form: String) {
    #expect(Self.isDamaged(Self.open(form.replacing("NAME", with: Self.here.deviceName))))
    #expect(DeviceSeal.SealedLine(SecretBytes([0xFF, 0xFE, 0x3A])) == nil, "it is no UTF-8")
  }

  @Test func deviceNameRevealsNeitherMachineIDNorKey() {
    let names = [Self.here, Self.elsewhere, Self.inSandbox].map(\.deviceName)
    #expect(Set(names).count == 3)
    #expect(names.allSatisfy { $0.count == 32 })
    #expect(!names.contains("0123456789abcdef0123456789abcdef"))
    let same = DeviceSeal(machineID: Self.machine, deviceKey: SecretBytes(0..<32), place: .file)
    #expect(same.deviceName == Self.here.deviceName)
  }
}

/// The device key in its file, and the choice of such a key for old and for new lines.
@GLibActor
struct DeviceKeyFileTests {
  private let root: TemporaryDirectory
  private let source: DeviceKeyFile

  init() throws {
    root = try TemporaryDirectory()
    source = Self.key(in: root.path + "/state/chappie")
  }

  private static func key(in directory: String) -> DeviceKeyFile {
    DeviceKeyFile(directory: StorageDirectory(directory))
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
    #expect(try await !Self.key(in: root.path + "/other").made().isEqual(to: key))

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
      let source = Self.key(in: root.path + "/race-\(round)")
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
      let target = root.path + "/target"
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
    let source = Self.key(in: try root.file("state", "".utf8) + "/chappie")
    #expect(try await source.existing() == nil)
    let message = await failureReason { _ = try await source.made() }
    #expect(message.contains("device-key"), "\(message)")
  }

  // MARK: The choice of a key

  private let secret = SecretBytes("secret".utf8)

  /// A second file stands for the TPM.
  private func seals(_ place: DeviceKeyPlace = .file) -> DeviceSeals {
    DeviceSeals([.file: source, .tpm2: Self.key(in: root.path + "/tpm")], place: { place }) {
      Array("0123456789abcdef0123456789abcdef".utf8)
    }
  }

  private func outcome(_ line: SecretBytes, _ place: DeviceKeyPlace = .file) async throws -> String {
    switch try await seals(place).open(line, context: [1]) {
    case .secret(let opened): opened.isEqual(to: secret) ? "opened" : "something else"
    case .otherDevice: "another device"
    case .damaged: "damaged"
    }
  }

  @Test func lineStillOpensAfterThePlaceChanges() async throws {
    let old = try await seals().sealing().seal(secret, context: [1])
    #expect(try await outcome(old, .tpm2) == "opened")
    let new = try await seals(.tpm2).sealing().seal(secret, context: [1])
    #expect(new.text.hasPrefix("chappie2:tpm2:"))
    #expect(try await outcome(new) == "opened")
  }

  @Test func readingCreatesNoKey() async throws {
    let line = try await seals().sealing().seal(secret, context: [1])
    Files.remove(source.description)
    #expect(try await outcome(line) == "another device")
    #expect(try await source.existing() == nil)
    _ = try await seals().sealing()
    #expect(try await outcome(line) == "another device")
  }

  /// The key may come back, so nobody is signed out.
  @Test func throwsWhileTheKeyIsUnavailable() async throws {
    let line = try await seals().sealing().seal(secret, context: [1])
    try #require(chmod(source.description, 0o640) == 0)
    await #expect(throws: SecretStoreError.self) { try await outcome(line) }
    try #require(chmod(source.description, 0o600) == 0)
    #expect(try await outcome(line) == "opened")
  }
}
