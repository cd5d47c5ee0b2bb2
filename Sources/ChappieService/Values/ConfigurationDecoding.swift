// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import ServiceConfiguration

extension ChappieConfiguration {
  /// Decodes the configuration of a caller. Absent options keep the service's defaults.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument`.
  init(_ options: VariantDictionary, defaults: ChappieConfiguration, _ models: ModelAliases = ModelAliases()) throws {
    self = defaults
    keychainService = try options.name("keychain_service") ?? keychainService
    keychainAccount = try options.name("keychain_account") ?? keychainAccount
    keychainAccessGroup = try options.name("keychain_access_group")
    if let word: String = try options.value("keychain_accessibility") {
      guard let accessibility = ChappieKeychainAccessibility(rawValue: word) else {
        let known = ChappieKeychainAccessibility.allCases.map(\.rawValue).joined(separator: " or ")
        throw BusError(.invalidArgument, "'keychain_accessibility' must be \(known).")
      }
      keychainAccessibility = accessibility
    }
    if let name = try options.name("model") { model = models.slug(name) }
    webSearch = try ChappieWebSearch(options) ?? webSearch
    if let harness: VariantDictionary = try options.value("harness") {
      self.harness = try ChappieHarness(harness)
    }
    if let backoff: VariantDictionary = try options.value("rate_limit_backoff") {
      rateLimitBackoff = try ChappieRateLimitBackoffPolicy(backoff)
    }
    if let percent: Double = try options.value("automatic_compaction") {
      guard (1...100).contains(percent) else {
        throw BusError(.invalidArgument, "'automatic_compaction' must be 1 to 100, in percent of the model's window.")
      }
      automaticCompaction = .whenFull(percent: percent)
    }
    if let transport: VariantDictionary = try options.value("streaming_transport_policy") {
      streamingTransportPolicy = try ChappieStreamingTransportPolicy(transport)
    }
  }

  /// The `Configuration` property of a session.
  var dictionary: VariantDictionary {
    [
      "keychain_service": keychainService, "keychain_account": keychainAccount,
      "keychain_accessibility": keychainAccessibility.rawValue, "keychain_access_group": keychainAccessGroup,
      // Without a choice the key is absent, so that a caller who passes this dictionary back chooses nothing either.
      "model": chosenModel,
    ]
  }
}

extension VariantDictionary {
  /// A name for keyring attributes, paths and requests: 1 to 255 bytes without control characters; nil if it is absent.
  func name(_ key: String) throws -> String? {
    try value(key, as: String.self).map { try Self.checkedName($0, key) }
  }

  /// Checks a name as ``name(_:)`` does.
  ///
  /// - Throws: `BusError` with `InvalidArgument`, with `key` in its message.
  static func checkedName(_ name: String, _ key: String) throws -> String {
    guard (1...255).contains(name.utf8.count), !name.unicodeScalars.contains(where: { $0.properties.isControl }) else {
      throw BusError(.invalidArgument, "'\(key)' must have 1 to 255 bytes and no control characters.")
    }
    return name
  }
}

extension Unicode.Scalar.Properties {
  var isControl: Bool { generalCategory == .control }
}

extension ChappieRateLimitBackoffPolicy {
  /// A caller may be more patient than the server asks for, and not less: all callers share the user's account.
  fileprivate init(_ dictionary: VariantDictionary) throws {
    let standard = ChappieRateLimitBackoffPolicy.default
    _ = try dictionary.value("respects_retry_after_header", as: Bool.self)
    let asked = ChappieRateLimitBackoffPolicy(
      maxRetries: try dictionary.value("max_retries", as: Int32.self).map(Int.init) ?? standard.maxRetries,
      initialDelay: try dictionary.value("initial_delay") ?? standard.initialDelay,
      maximumDelay: try dictionary.value("maximum_delay") ?? standard.maximumDelay)
    self.init(
      maxRetries: min(asked.maxRetries, Limits.retries),
      initialDelay: max(asked.initialDelay, Limits.shortestRetryDelay),
      maximumDelay: max(asked.maximumDelay, standard.maximumDelay))
  }
}

extension ChappieStreamingTransportPolicy {
  fileprivate init(_ dictionary: VariantDictionary) throws {
    let standard = ChappieStreamingTransportPolicy.default
    self.init(
      prefersWebSocket: try dictionary.value("prefers_web_socket") ?? standard.prefersWebSocket,
      maxWebSocketReconnectionAttempts: try dictionary.value("max_web_socket_reconnection_attempts", as: Int32.self)
        .map(Int.init) ?? standard.maxWebSocketReconnectionAttempts,
      fallsBackToHTTPSSE: try dictionary.value("falls_back_to_http_sse") ?? standard.fallsBackToHTTPSSE)
  }
}

/// The size in bytes up to which a value is decoded on the actor.
private let shortDescription = 16 << 10

/// Decodes a value of a caller. A large value is decoded off the actor, so that other callers need not wait.
///
/// - Parameter byteCount: the size of the value.
/// - Throws: the errors of `decode`.
@GLibActor
func decoded<Value: Sendable>(byteCount: Int, _ decode: @escaping @Sendable () throws -> Value) async throws -> Value {
  guard byteCount > shortDescription else { return try decode() }
  return try await offActor { Result { try decode() } }.get()
}
