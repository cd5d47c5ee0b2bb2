// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct ChappieConfigurationTests {
  /// The table of the seeds. An app must not choose the servers for a credential.
  @Test func defaultsMatchTheSeeds() {
    let configuration = ChappieConfiguration()
    #expect(configuration.keychainAccessibility == .whenUnlockedThisDeviceOnly)
    #expect(configuration.harness == .default)
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
  func refusesAnyOtherAddressAndNamesIt(_ url: String) throws {
    let good = "https://example.org"
    for (issuer, baseURL) in [(url, good), (good, url)] {
      let error = #expect(throws: ChappieClientError.self) {
        try ChappieBackend(issuer: issuer, baseURL: baseURL)
      }
      guard case .invalidArgument(let text)? = error else { throw UnmetCondition("the error") }
      #expect(text.contains("'\(url)'"))
    }
  }
}

/// A credential goes only to HTTPS or to this machine. The tests try every form of address that could pass for either.
struct WebAddressTests {
  @Test(arguments: [
    "https://example.org", "HTTPS://EXAMPLE.ORG/path", "https://example.org:8443/?q#f", "https://127.0.0.1",
    "https://[::1]/", "http://127.0.0.1", "http://127.0.0.1:8080/path", "HTTP://127.0.0.1", "http://127.255.255.254",
    "http://localhost", "http://LocalHost:80", "http://[::1]", "http://[::1]:8080/",
  ])
  func acceptsAnyHTTPSHostAndTheLoopback(_ text: String) throws {
    let address = try #require(ParsedURL(web: text))
    #expect(address.scheme == (text.lowercased().hasPrefix("https") ? "https" : "http"))
    #expect(address.scheme == "https" || address.isLoopback)
  }

  @Test(arguments: [
    "http://example.org", "http://127.0.0.1.evil.com", "http://127.evil.com", "http://127.1", "http://127.0.1",
    "http://2130706433", "http://0x7f000001", "http://0x7f.0.0.1", "http://0177.0.0.1", "http://127.0.0.256",
    "http://127.0.0.1.", "http://127.0.0.", "http://127.0.0.1e0", "http://127.+0.0.1", "http://127.0.0.-1",
    "http://127.0..1", "http://128.0.0.1", "http://0.0.0.0", "http://10.0.0.1", "http://localhost.evil.com",
    "http://evil-localhost", "http://localhost.", "http://[::]", "http://[::2]", "http://[fe80::1]",
    "http://[::ffff:8.8.8.8]", "http://evil.com/127.0.0.1", "http://evil.com?@127.0.0.1", "http://evil.com#@127.0.0.1",
    "http://127.0.0.1 .evil.com", "http://127.0.0.1%00.evil.com", "http://127.0.0.1%2eevil.com",
  ])
  func refusesLookalikesOfTheLoopback(_ text: String) {
    let address = ParsedURL(web: text)
    #expect(address?.isLoopback != true)
    #expect(address?.scheme != "https")
  }

  @Test(arguments: [
    "", "example.org", "//example.org", "/path", "https:", "https://", "https:///path", "http://:80/",
    "ftp://example.org", "file:///etc/passwd", "ws://127.0.0.1", "httpss://example.org",
    "javascript:https://example.org", "https://user@example.org", "https://user:word@example.org",
    "https://@example.org", "http://127.0.0.1@evil.com", "http://127.0.0.1:80@evil.com", "http://localhost\\@evil.com",
    "https://[::1", "https://example.org:port", " https://example.org",
  ])
  func refusesOtherText(_ text: String) {
    #expect(ParsedURL(web: text) == nil)
  }
}

struct ChappieRateLimitBackoffPolicyTests {
  private typealias Policy = ChappieRateLimitBackoffPolicy

  @Test func negativeNumbersAndNaNCountAsZero() {
    let negative = Policy(maxRetries: -1, initialDelay: -2, maximumDelay: -3)
    #expect(negative == Policy(maxRetries: 0, initialDelay: 0, maximumDelay: 0))
    let none = Policy(maxRetries: 1, initialDelay: .nan, maximumDelay: -.infinity)
    #expect(none.initialDelay == 0 && none.maximumDelay == 0)
    #expect(none.delay(beforeRetry: 0, retryAfter: nil) == 0)
  }

  @Test(
    arguments: [
      (Policy(maxRetries: 8, initialDelay: 0.5, maximumDelay: 10), [0.5, 1, 2, 4, 8, 10, 10, 10, nil]),
      (Policy(maxRetries: 2, initialDelay: 5, maximumDelay: 3), [3, 3, nil]), (.disabled, [nil]),
      (.default, [1, 2, nil]),
    ] as [(ChappieRateLimitBackoffPolicy, [Double?])])
  func delayDoublesUpToTheMaximum(_ policy: ChappieRateLimitBackoffPolicy, _ delays: [Double?]) {
    #expect(delays.indices.map { policy.delay(beforeRetry: $0, retryAfter: nil) } == delays)
  }

  @Test func retryAfterReplacesTheDelay() {
    // By default there are 2 retries, and 30 seconds are the maximum.
    for (header, delay) in [(7, 7), (0, 0), (31, 30), (-1, 0), (.nan, 0)] as [(Double, Double)] {
      #expect(Policy.default.delay(beforeRetry: 1, retryAfter: header) == delay)
    }
    #expect(Policy.default.delay(beforeRetry: 2, retryAfter: 7) == nil)
    #expect(Policy(respectsRetryAfterHeader: false).delay(beforeRetry: 0, retryAfter: 7) == 1)
  }

  /// Every delay must be valid for a clock, because a caller's numbers must not end this process.
  @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e300, 1e20], [nil, 0, 7, 1e300, .infinity])
  func hugeNumbersGiveValidDelays(_ seconds: Double, _ retryAfter: Double?) throws {
    let policy = Policy(maxRetries: .max, initialDelay: seconds, maximumDelay: seconds)
    for retry in [0, 1, 62, 63, 64, 1000, .max - 1] {
      let delay = try #require(policy.delay(beforeRetry: retry, retryAfter: retryAfter))
      #expect(delay >= 0)
      #expect(Duration.seconds(delay) >= .zero)
    }
    #expect(policy.delay(beforeRetry: .max, retryAfter: nil) == nil)
  }
}

struct SlotIdentityTests {
  private static func identity(_ change: (inout ChappieConfiguration) -> Void) -> SlotIdentity {
    var configuration = ChappieConfiguration()
    change(&configuration)
    return SlotIdentity(configuration)
  }

  /// Programs with this library have their own slots, separate from the desktop user's and from a sandboxed app's.
  @Test func applicationsHaveSeparateSlots() throws {
    let identities = [
      Self.identity { _ in }, Self.identity { $0.keychainService = "other" },
      Self.identity { $0.keychainAccount = "other" }, Self.identity { $0.keychainAccessGroup = "other" },
      Self.identity { $0.applicationID = .desktopUser },
      Self.identity { $0.applicationID = .sandboxed("org.example.App") },
      Self.identity { $0.applicationID = .sandboxed("other") },
      try SlotIdentity(ChappieConfiguration(applicationID: ChappieApplicationID("org.example.App"))),
      try SlotIdentity(ChappieConfiguration(applicationID: ChappieApplicationID("org.example.Other"))),
    ]
    #expect(Set(identities).count == identities.count)
    #expect(Self.identity { $0.applicationID = .program } == identities[0])
    let other = Self.identity {
      $0.model = "other"
      $0.harness = .none
      $0.keychainAccessibility = .afterFirstUnlockThisDeviceOnly
      $0.rateLimitBackoff = .disabled
    }
    #expect(other == identities[0])
  }

  /// Old versions, without slots for programs, have stored these attributes. They must always be found.
  @Test func desktopUsersSlotIsUnchanged() {
    let identity = Self.identity { $0.applicationID = .desktopUser }
    #expect(identity.appID == nil)
    let item = ["service": "com.chappie.sdk", "account": "default", "access-group": "", "app-id": "", "version": "2"]
    #expect(identity.owns(item))
    #expect(!Self.identity { _ in }.owns(item))
    #expect(identity.fingerprint(purpose: "org.chappie slot lock") == "a8b07dd676168cbf7a8418519b3afa5f")
  }

  /// All members of a group share its slots, no matter which member made one. They do not share their threads.
  @Test func groupSharesItsSlotAndNotItsThreads() {
    let members = ["org.example.First", "org.example.Second"].map { app in
      var configuration = ChappieConfiguration(keychainAccessGroup: "group")
      configuration.applicationID = .sandboxed(app)
      return configuration
    }
    #expect(SlotIdentity(members[0]) == SlotIdentity(members[1]))
    #expect(SlotIdentity(members[0]).appID == nil)
    let threads = members.map { SlotIdentity(threadsOf: $0).appID }
    #expect(threads == ["org.example.First", "org.example.Second"])
    #expect(SlotIdentity(threadsOf: ChappieConfiguration()) == SlotIdentity(ChappieConfiguration()))
  }
}
