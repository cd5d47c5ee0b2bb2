// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

struct ChappieConfigurationTests {
  /// The table of the seeds.
  @Test func defaultsMatchTheSeeds() {
    let configuration = ChappieConfiguration()
    #expect(configuration.keychainService == "com.chappie.sdk")
    #expect(configuration.keychainAccount == "default")
    #expect(configuration.keychainAccessGroup == nil)
    #expect(configuration.keychainAccessibility == .whenUnlockedThisDeviceOnly)
    #expect(configuration.model == ChappieClient.defaultModel)
    #expect(configuration.harness == .default)
    #expect(configuration.rateLimitBackoff == .default)
  }

  @Test func thePrivacyDeclarationIsAResourceOfTheLibrary() {
    #expect(Chappie.privacyDeclaration.hasPrefix("# Privacy declaration\n"))
    #expect(Chappie.privacyDeclaration.contains("- Tracking: none."))
  }

  /// An app must not choose the servers for a credential.
  @Test func defaultServersAreTheRealOnes() {
    let configuration = ChappieConfiguration()
    #expect(configuration.backend.issuer == "https://auth.openai.com")
    #expect(configuration.backend.baseURL == "https://chatgpt.com/backend-api")
    #expect(configuration.backend.clientID == "app_EMoamEEZ73f0CkXaXp7hrann")
  }

  @Test func acceptsTheSeedsExample() {
    let configuration = ChappieConfiguration(
      keychainService: "com.example.myapp", keychainAccount: "user", keychainAccessGroup: "TEAMID.com.example.shared",
      keychainAccessibility: .whenUnlockedThisDeviceOnly)
    #expect(configuration.keychainService == "com.example.myapp")
    #expect(configuration.keychainAccount == "user")
    #expect(configuration.keychainAccessGroup == "TEAMID.com.example.shared")
  }

  @Test func accessibilityUsesTheWordsOfTheBus() {
    #expect(
      ChappieKeychainAccessibility.allCases.map(\.rawValue)
        == ["when-unlocked-this-device-only", "after-first-unlock-this-device-only"])
  }
}
