import ChappieSDK
import GLibBridge
import Platform

/// The options of the service: from its command line, then from `chappie/chappie.conf`.
public struct ServiceOptions: Sendable {
  /// The largest size of a configuration file in bytes.
  private static let sizeLimit = 1 << 20

  public var issuer: String?
  public var baseURL: String?
  /// The address of the public API, with its version.
  public var apiURL: String?
  public var clientID: String?
  public var model: String?
  /// The default transport of answers: `default` or `http-sse-only`.
  public var transport: String?
  /// The policy if nothing shows whether the screen is locked: `keyring` or `deny`.
  public var unknownLock: String?
  /// The place of the key that binds stored data to this device: `file` or `tpm2`.
  public var deviceKey: String?
  /// The policy for a keyring without encrypted sessions: `refuse` or `allow`.
  public var plainSession: String?
  /// Whether the service shows desktop notifications: `true` or `false`.
  public var notifications: String?
  /// The configuration files that were read, in order of precedence.
  public private(set) var files: [String] = []
  /// The user's own names for models.
  private(set) var models = ModelAliases()
  /// The thread options.
  private var threads = ThreadOptions()

  public init(issuer: String? = nil, baseURL: String? = nil, apiURL: String? = nil) {
    self.issuer = issuer
    self.baseURL = baseURL
    self.apiURL = apiURL
  }

  /// Adds missing options from the user's configuration file, then from the system's.
  ///
  /// - Throws: `StartFailure` for a file that is not a key file, or a key with an unreadable value.
  public mutating func readConfiguration() throws {
    for directory in [Directories.configuration] + Directories.systemConfiguration {
      let path = directory + "/chappie/chappie.conf"
      guard Files.exists(path) else { continue }
      let file = try Self.keyFile(path)
      files.append(path)
      issuer = try issuer ?? file.setting("Backend", "Issuer")
      baseURL = try baseURL ?? file.setting("Backend", "BaseURL")
      apiURL = try apiURL ?? file.setting("Backend", "APIURL")
      clientID = try clientID ?? file.setting("Backend", "ClientID")
      model = try model ?? file.setting("Client", "Model")
      transport = try transport ?? file.setting("Client", "Transport")
      unknownLock = try unknownLock ?? file.setting("Lock", "Unknown")
      deviceKey = try deviceKey ?? file.setting("Keyring", "DeviceKey")
      plainSession = try plainSession ?? file.setting("Keyring", "PlainSession")
      notifications = try notifications ?? file.setting("Notifications", "Enabled")
      try models.read(file)
      try threads.read(file)
    }
  }

  /// Checks that the service can start with these options.
  ///
  /// - Throws: `StartFailure`, `ChappieClientError`.
  public func check() throws {
    _ = try defaults()
    _ = try hasNotifications()
    _ = try threadPolicy()
  }

  /// - Throws: ``StartFailure`` for anything but `true` and `false`.
  func hasNotifications() throws -> Bool {
    try Bool(setting: "[Notifications] Enabled=", notifications)
  }

  /// The policy of stored threads; nil if threads are off.
  ///
  /// - Throws: ``StartFailure`` for an invalid value.
  func threadPolicy() throws -> ThreadPolicy? {
    try threads.policy()
  }

  /// - Throws: ``StartFailure`` for an unknown policy.
  private func lockPolicy() throws -> UnknownLockPolicy {
    guard let unknownLock else { return .keyring }
    guard let policy = UnknownLockPolicy(rawValue: unknownLock) else {
      throw StartFailure("[Lock] Unknown=", "keyring or deny", unknownLock)
    }
    return policy
  }

  /// The policy for the use of the keyring.
  ///
  /// - Throws: ``StartFailure`` for an invalid value.
  func keyringPolicy() throws -> KeyringPolicy {
    var policy = KeyringPolicy()
    if let deviceKey {
      guard let place = DeviceKeyPlace(rawValue: deviceKey) else {
        throw StartFailure("[Keyring] DeviceKey=", "file or tpm2", deviceKey)
      }
      policy.deviceKey = place
    }
    switch plainSession {
    case nil, "refuse": break
    case "allow": policy.allowsPlainSessions = true
    case let other?: throw StartFailure("[Keyring] PlainSession=", "refuse or allow", other)
    }
    return policy
  }

  /// - Throws: ``StartFailure`` for an unknown transport.
  private func transportPolicy() throws -> ChappieStreamingTransportPolicy {
    switch transport {
    case nil, "default": .default
    case "http-sse-only": .httpSSEOnly
    case let other?: throw StartFailure("[Client] Transport=", "default or http-sse-only", other)
    }
  }

  private static func keyFile(_ path: String) throws -> KeyFile {
    do {
      return try KeyFile(Files.read(path, limit: sizeLimit))
    } catch {
      throw StartFailure(description: "\(path): \((error as? GLibError)?.message ?? "\(error)")")
    }
  }

  /// The API of the issuer. Tokens of another issuer than OpenAI's are of no use at OpenAI's API, and go there only if
  /// the configuration says so.
  private var ownAPI: String {
    guard let issuer, issuer != ChappieBackend.production.issuer else { return ChappieBackend.productionAPI }
    return (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/v1"
  }

  /// The default configuration, which callers' options change.
  ///
  /// - Throws: `ChappieClientError.invalidArgument` for an address that is neither HTTPS nor on the loopback,
  ///   ``StartFailure`` for an invalid value.
  func defaults() throws -> ChappieConfiguration {
    var configuration = ChappieConfiguration(applicationID: .desktopUser)
    let production = ChappieBackend.production
    configuration.backend = try ChappieBackend(
      issuer: issuer ?? production.issuer, baseURL: baseURL ?? production.baseURL, apiURL: apiURL ?? ownAPI,
      clientID: clientID ?? production.clientID)
    if let model { configuration.model = models.slug(model) }
    configuration.streamingTransportPolicy = try transportPolicy()
    configuration.unknownLockPolicy = try lockPolicy()
    return configuration
  }
}
