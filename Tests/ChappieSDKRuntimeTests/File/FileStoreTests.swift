// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc

@testable import ChappieSDKRuntime

struct FileStoreTests {
  private let world = FileStoreWorld()

  @Test func aFileStorePassesTheConformanceSuite() async throws {
    // Files that are opened anew for each call, as by other processes.
    try await ChappieThreadStoreConformance.run {
      let world = FileStoreWorld()
      world.clock.advance(seconds: UnixTime.now - world.clock.now)
      return FaultyStore { world.store(retention: .default) }
    }
    var worlds: [FileStoreWorld] = []
    try await ChappieThreadStoreConformance.run {
      let world = FileStoreWorld()
      worlds.append(world)
      return ChappieFileThreadStore(directory: world.directory, device: { "d0" }, keys: world.keys)
    }
    #expect(worlds.count > 10)
  }

  @Test(arguments: ["", "../a", "a/b", ".", "A", "a b", "a\0", "ä", String(repeating: "a", count: 65)])
  func anInvalidIDIsRefused(_ id: String) async throws {
    let store = world.store()
    await #expect(throws: ChappieThreadStoreError.self) { try await store.create(.sample(id)) }
    await #expect(throws: ChappieThreadStoreError.noSuchThread(id)) { try await store.append(.sample("t"), to: id) }
    #expect(try await store.threads(ChappieThreadQuery(.all)).isEmpty)
  }

  @Test func aMissingDirectoryIsAnEmptyStore() async throws {
    // It does not ask for a key, because that would create one.
    world.keys.fail(.keyringUnavailable("It is away."))
    #expect(try await world.store().threads(ChappieThreadQuery()).isEmpty)
    #expect(
      try await world.store().usage()
        == ChappieThreadStoreUsage(usedBytes: 0, limitBytes: nil, threadCount: 0, archivedCount: 0))
    for read in [
      { _ = try await world.store().thread("a") }, { _ = try await world.store().summary(of: "a") },
    ] as [@Sendable () async throws -> Void] {
      await #expect(throws: ChappieThreadStoreError.noSuchThread("a")) { try await read() }
    }
    try await world.store().deleteAll()
    #expect(!FileManager.default.fileExists(atPath: world.directory), "this creates nothing")
  }

  /// A list works even if no turn can be read.
  @Test func aListReadsNoTurn() async throws {
    let store = world.store()
    for id in ["a", "b"] {
      try await store.create(.sample(id, title: "Title \(id)"))
      for number in 1...3 { try await store.append(.sample("t\(number)"), to: id) }
    }
    let listed = try await store.threads(ChappieThreadQuery())
    try world.database().run("DROP TABLE turns")
    #expect(try await world.store().threads(ChappieThreadQuery()) == listed)
    await #expect(throws: ChappieThreadStoreError.self) { try await world.store().thread("a") }
  }

  /// Free pages go back to the file system, and no file has deleted content.
  @Test func aDeletedThreadLeavesNoBytesInTheFiles() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try await store.create(.sample("b"))
    for number in 1...50 {
      try await store.append(.sample("t\(number)", String(repeating: "x", count: 20_000)), to: "a")
    }
    var sealed: [[UInt8]] = []
    try world.database().forEach("SELECT content FROM turns WHERE sequence < 10") { sealed.append($0.bytes(0)) }
    try await store.delete("a")
    for name in try world.names where name != "reserve" {
      let bytes = try world.bytes(name)
      #expect(bytes.count < 200_000, "\(name)")
      for content in sealed { #expect(bytes.firstRange(of: content[100..<140]) == nil, "\(name)") }
    }
  }

  @Test func filesOfTheEarlierFormatAreLeftAlone() async throws {
    try await world.store().create(.sample("a"))
    for name in ["b.thread", "index", "lock"] { try world.write([1, 2, 3], name) }
    #expect(try await world.store().threads(ChappieThreadQuery(.all)).map(\.id) == ["a"])
    try await world.store().deleteAll()
    for name in ["b.thread", "index", "lock"] { #expect(try world.bytes(name) == [1, 2, 3]) }
  }

  @Test func onlyTheUserCanReadTheFiles() async throws {
    let store = world.store()
    try await store.create(.sample("a"))
    try await store.append(.sample("t"), to: "a")
    func mode(_ path: String) -> mode_t {
      var status = stat()
      return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    #expect(mode(world.directory) == 0o700)
    for name in try world.names { #expect(mode(world.path(name)) == 0o600, "\(name)") }
  }

  // MARK: The directory

  @Test func theAccountsOfAnAppShareAFolder() {
    let paths = ["one", "two"].map { account in
      ChappieFileThreadStore.directory(for: ChappieConfiguration(keychainAccount: account)).split(separator: "/")
    }
    #expect(paths[0].dropLast() == paths[1].dropLast())
    #expect(paths[0] != paths[1])
    #expect(paths[0].joined(separator: "/").hasPrefix(Directories.data.dropFirst() + "/chappie/threads/"))
  }

  /// The default store of an application is not that of the desktop user either.
  @Test func differentSlotsHaveDifferentDirectories() throws {
    let user = ChappieConfiguration(applicationID: .desktopUser)
    var member = ChappieConfiguration(keychainAccessGroup: "T.org.example")
    member.applicationID = .sandboxed("org.example.App")
    let configurations = [
      ChappieConfiguration(), ChappieConfiguration(keychainService: "org.example"),
      ChappieConfiguration(keychainAccount: "other"), ChappieConfiguration(keychainAccessGroup: "T.org.example"),
      ChappieConfiguration(applicationID: .sandboxed("org.example.App")), member, user,
      ChappieConfiguration(applicationID: try ChappieApplicationID("org.example.App")),
    ]
    #expect(Set(configurations.map(ChappieFileThreadStore.directory)).count == configurations.count)
    #expect(
      ChappieFileThreadStore.directory(for: user).hasSuffix(
        "/3813bbcb895e2dcf5e32c62475f69e13/1ce1b465dc36f97a4138cbb49cd579f6"))
  }

  @Test(arguments: ["../../etc", "a/b", "", "ä", "josé@example.com"])
  func namesDoNotAppearInPaths(_ name: String) {
    let path = ChappieFileThreadStore.directory(
      for: ChappieConfiguration(keychainService: name, keychainAccount: name, keychainAccessGroup: name))
    let own = path.dropFirst(Directories.data.count + "/chappie/threads/".count).split(separator: "/")
    #expect(own.count == 2)
    #expect(own.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })
  }

  @Test func eachFileProtectionHasItsKeyringAccessibility() {
    #expect(
      ChappieFileThreadStoreStoragePolicy().fileProtection.accessibility == .whenUnlockedThisDeviceOnly)
    #expect(
      ChappieFileThreadStoreStoragePolicy(fileProtection: .completeUntilFirstUserAuthentication)
        .fileProtection.accessibility == .afterFirstUnlockThisDeviceOnly)
  }
}
