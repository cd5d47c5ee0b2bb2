// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

@testable import ChappieSDKRuntime

struct StoreDirectoryTests {
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
