// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct ChappieConfigurationTests {
  /// The table of the seeds. An app must not choose the servers for a credential.
  @Test func defaultsMatchTheSeeds() {
    let configuration = ChappieConfiguration()
    #expect(configuration.keychainService == "com.chappie.sdk")
    #expect(configuration.keychainAccount == "default")
    #expect(configuration.keychainAccessGroup == nil)
    #expect(configuration.keychainAccessibility == .whenUnlockedThisDeviceOnly)
    #expect(configuration.model == ChappieClient.defaultModel)
    #expect(configuration.harness == .default)
    #expect(configuration.rateLimitBackoff == .default)
    #expect(configuration.backend.issuer == "https://auth.openai.com")
    #expect(configuration.backend.baseURL == "https://chatgpt.com/backend-api")
    #expect(configuration.backend.clientID == "app_EMoamEEZ73f0CkXaXp7hrann")
  }

  @Test func thePrivacyDeclarationIsAResourceOfTheLibrary() {
    #expect(Chappie.privacyDeclaration.hasPrefix("# Privacy declaration\n"))
    #expect(Chappie.privacyDeclaration.contains("- Tracking: none."))
  }
}

struct ChappieApplicationIDTests {
  @Test func defaultIsTheProgramsName() {
    // A test has no `GApplication`.
    #expect(Program.applicationID == nil)
    #expect(!Program.name.isEmpty)
    #expect(ChappieConfiguration().applicationID.attribute == "host:\(Program.name)")
    #expect(!ChappieApplicationID.program.isDesktopUser)
    #expect(ChappieApplicationID.desktopUser.attribute == nil && ChappieApplicationID.desktopUser.isDesktopUser)
  }

  /// Ids become attributes in the keyring.
  @Test(arguments: ["", "a/b", "../x", "a\nb", "a\u{0}b", "\u{1B}[2J", String(repeating: "x", count: 256)])
  func refusesAnInvalidID(_ id: String) {
    #expect(throws: ChappieClientError.self) { try ChappieApplicationID(id) }
  }

  @Test(arguments: ["org.example.App", "My App", "ä", String(repeating: "x", count: 255)])
  func acceptsNames(_ id: String) throws {
    #expect(try ChappieApplicationID(id).attribute == "host:\(id)")
  }

  /// The text in a keyring editor.
  @Test func labelContainsTheID() throws {
    let host = SlotIdentity(ChappieConfiguration(applicationID: try ChappieApplicationID("org.example.App")))
    #expect(Credential.label(of: host) == "ChatGPT sign-in (org.example.App, default)")
    let user = SlotIdentity(ChappieConfiguration(applicationID: .desktopUser))
    #expect(Credential.label(of: user) == "ChatGPT sign-in (com.chappie.sdk, default)")
  }
}

struct ChappieBackendTests {
  @Test func acceptsHTTPSAndTheLoopback() throws {
    let backend = try ChappieBackend(issuer: "https://issuer.example/", baseURL: "http://127.0.0.1:8080/backend-api/")
    #expect(backend.issuer == "https://issuer.example")
    #expect(backend.baseURL == "http://127.0.0.1:8080/backend-api")
    #expect(backend.clientID == ChappieBackend.productionClientID)
    let production = ChappieBackend.production
    #expect(try ChappieBackend(issuer: production.issuer, baseURL: production.baseURL) == production)
  }

  @Test(arguments: ["http://example.org", "ftp://127.0.0.1", "https://user@example.org", "example.org", ""])
  func refusesAnyOtherAddressAndNamesIt(_ url: String) {
    let good = "https://example.org"
    for (issuer, baseURL) in [(url, good), (good, url)] {
      let error = #expect(throws: ChappieClientError.self) {
        try ChappieBackend(issuer: issuer, baseURL: baseURL)
      }
      guard case .invalidArgument(let text)? = error else {
        Issue.record("another error")
        continue
      }
      #expect(text.contains("'\(url)'"))
    }
  }
}
