// SPDX-License-Identifier: Apache-2.0
@testable import ChappieService
@testable import ServiceConfiguration

struct ConfigurationDecodingTests {
  private static func decode(
    _ options: VariantDictionary, defaults: ChappieConfiguration = ChappieConfiguration()
  ) throws -> ChappieConfiguration {
    try ChappieConfiguration(options, defaults: defaults)
  }

  private static func invalidArgument(_ options: VariantDictionary) -> String? {
    let error = #expect(throws: BusError.self) { try decode(options) }
    #expect(error?.name == "org.chappie.Error.InvalidArgument")
    return error?.message
  }

  // MARK: Every key

  @Test func readsEveryKey() throws {
    let configuration = try Self.decode([
      "keychain_service": "org.example.App", "keychain_account": "user", "keychain_access_group": "TEAM.group",
      "keychain_accessibility": "after-first-unlock-this-device-only", "model": "gpt-test",
      "harness": ["name": "App", "summary": "One line.", "instructions": "Be brief.", "capabilities": ["A", "B"]]
        as VariantDictionary,
      "web_search": "live", "search_domains": ["debian.org"],
      "search_location": ["city": "Ulm"] as VariantDictionary,
      "rate_limit_backoff": [
        "max_retries": Int32(5), "initial_delay": 2.0, "maximum_delay": 80.0, "respects_retry_after_header": false,
      ] as VariantDictionary,
    ])
    #expect(
      configuration
        == ChappieConfiguration(
          keychainService: "org.example.App", keychainAccount: "user", keychainAccessGroup: "TEAM.group",
          keychainAccessibility: .afterFirstUnlockThisDeviceOnly, model: "gpt-test",
          harness: ChappieHarness(
            name: "App", summary: "One line.", instructions: "Be brief.", capabilities: ["A", "B"]),
          rateLimitBackoff: ChappieRateLimitBackoffPolicy(
            maxRetries: 5, initialDelay: 2, maximumDelay: 80),
          webSearch: ChappieWebSearch(.live, domains: ["debian.org"], location: .init(city: "Ulm"))))
  }

  @Test func aWrongSearchIsRefused() {
    #expect(Self.invalidArgument(["web_search": "often"]) == "'web_search' must be off, cached or live.")
    #expect(throws: ChappieClientError.self) {
      try Self.decode(["web_search": "live", "search_domains": ["https://debian.org"]])
    }
  }

  @Test func missingKeysTakeTheServicesDefaults() throws {
    #expect(try Self.decode([:]) == ChappieConfiguration())
    var defaults = ChappieConfiguration(keychainService: "org.example.Default", model: "gpt-default", harness: .none)
    defaults.backend = try ChappieBackend(issuer: "http://127.0.0.1:1", baseURL: "http://127.0.0.1:2")
    #expect(try Self.decode([:], defaults: defaults) == defaults)
    let changed = try Self.decode(["model": "gpt-other"], defaults: defaults)
    #expect(changed.model == "gpt-other")
    #expect(changed.keychainService == "org.example.Default")
    #expect(changed.backend == defaults.backend)
  }

  @Test func ignoresUnknownKeys() throws {
    let options: VariantDictionary = [
      "later": true, "Model": UInt32(1), "harness": ["later": true] as VariantDictionary,
      "rate_limit_backoff": ["later": "x"] as VariantDictionary,
    ]
    #expect(try Self.decode(options).rateLimitBackoff == .default)
    #expect(try Self.decode(options).model == ChappieClient.defaultModel)
  }

  /// The caller decides neither the server that receives a credential nor the credential's owner.
  @Test(arguments: ["issuer", "base_url", "backend", "client_id", "owner_app_id", "app_id"])
  func ignoresKeysForServersAndOwners(_ key: String) throws {
    var options = VariantDictionary()
    options.set(key, "http://127.0.0.1:1")
    #expect(try Self.decode(options) == ChappieConfiguration())
  }

  // MARK: Wrong types

  @Test(arguments: [
    ("", "model", "s"), ("", "search_domains", "as"), ("", "search_location", "a{sv}"), ("", "harness", "a{sv}"),
    ("", "rate_limit_backoff", "a{sv}"), ("", "streaming_transport_policy", "a{sv}"),
    ("harness", "capabilities", "as"), ("rate_limit_backoff", "max_retries", "i"),
    ("streaming_transport_policy", "prefers_web_socket", "b"),
    ("streaming_transport_policy", "max_web_socket_reconnection_attempts", "i"),
  ])
  func theErrorNamesAKeyOfTheWrongType(_ outer: String, _ key: String, _ type: String) {
    var (options, wrong) = (VariantDictionary(), VariantDictionary())
    wrong.set(key, UInt64(1))
    options.set(outer, wrong)
    #expect(throws: VariantError(key: key, expected: type, found: "t")) {
      try Self.decode(outer.isEmpty ? wrong : options)
    }
  }

  // MARK: Bad values

  private static let namedKeys = ["keychain_service", "keychain_account", "keychain_access_group", "model"]

  @Test(
    arguments: namedKeys,
    [
      "", "a\nb", "a\u{1B}", "a\u{7F}", "a\u{85}", String(repeating: "x", count: 256),
      String(repeating: "ä", count: 128),
    ])
  func rejectsInvalidNames(_ key: String, _ name: String) {
    var options = VariantDictionary()
    options.set(key, name)
    #expect(Self.invalidArgument(options)?.contains("'\(key)'") == true)
  }

  @Test(arguments: namedKeys, ["a", "me@example.org", "日本語", "a b", "../..", String(repeating: "x", count: 255)])
  func acceptsValidNames(_ key: String, _ name: String) throws {
    var options = VariantDictionary()
    options.set(key, name)
    let decoded = try Self.decode(options)
    let values = [decoded.keychainService, decoded.keychainAccount, decoded.keychainAccessGroup, decoded.model]
    #expect(values.contains(name))
  }

  @Test func theErrorForAnUnknownAccessibilityListsTheKnown() {
    let message = Self.invalidArgument(["keychain_accessibility": "WHEN-UNLOCKED-THIS-DEVICE-ONLY"])
    for known in ChappieKeychainAccessibility.allCases { #expect(message?.contains(known.rawValue) == true) }
  }

  /// All callers share the account, so none is less patient than the server asks for, nor asks for ever.
  @Test(
    arguments: [
      ["max_retries": Int32(-1), "initial_delay": -1.0, "maximum_delay": Double.nan], ["max_retries": Int32(0)],
      ["max_retries": Int32(0), "initial_delay": 0.01, "maximum_delay": 1.0, "respects_retry_after_header": false],
    ] as [VariantDictionary])
  func retriesAreNotTooEager(_ backoff: VariantDictionary) throws {
    let policy = try Self.decode(["rate_limit_backoff": backoff]).rateLimitBackoff
    #expect(policy.maxRetries == 0)
    #expect(policy.initialDelay >= 0.5)
    #expect(policy.maximumDelay == 30)
    #expect(policy.respectsRetryAfterHeader)
    let eager: VariantDictionary = ["max_retries": Int32.max]
    #expect(try Self.decode(["rate_limit_backoff": eager]).rateLimitBackoff.maxRetries == 10)
  }

  // MARK: The property

  @Test func encodesToADictionaryThatDecodesEqual() throws {
    let configuration = ChappieConfiguration(keychainAccount: "user", keychainAccessGroup: "TEAM.group")
    #expect(
      configuration.dictionary == [
        "keychain_service": "com.chappie.sdk", "keychain_account": "user", "keychain_access_group": "TEAM.group",
        "keychain_accessibility": "when-unlocked-this-device-only",
      ])
    #expect(ChappieConfiguration().dictionary["keychain_access_group"] == nil)
    #expect(try Self.decode(configuration.dictionary) == configuration)
    let choosing = ChappieConfiguration(model: "gpt-5.5")
    #expect(try choosing.dictionary.value("model") == "gpt-5.5")
    #expect(try Self.decode(choosing.dictionary) == choosing)
  }

  @Test func callersMayUseAliases() throws {
    var aliases = ModelAliases()
    _ = aliases.add("fast", "gpt-a")
    #expect(try TurnOptions(["model": "fast"], aliases).message.model == "gpt-a")
    let defaults = ChappieConfiguration(applicationID: .desktopUser)
    #expect(try ChappieConfiguration(["model": "fast"], defaults: defaults, aliases).model == "gpt-a")
  }
}
