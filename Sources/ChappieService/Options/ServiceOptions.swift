import ChappieSDK
import GLibBridge
import Platform

/// What the service is told at its start: by its command line, then by `chappie/chappie.conf`.
public struct ServiceOptions: Sendable {
  /// A configuration file has at most this many bytes.
  private static let sizeLimit = 1 << 20

  public var issuer: String?
  public var baseURL: String?
  public var clientID: String?
  public var model: String?
  /// How answers come where a caller does not say: `default` or `http-sse-only`.
  public var transport: String?
  /// What counts where nothing tells whether the screen is locked: `keyring` or `deny`.
  public var unknownLock: String?
  /// Where the key is kept that binds what is stored to this device: `file` or `tpm2`.
  public var deviceKey: String?
  /// What happens with a keyring that offers no encrypted session: `refuse` or `allow`.
  public var plainSession: String?
  /// Whether desktop notifications tell of what the user has to do: `true` or `false`.
  public var notifications: String?
  /// The configuration files that were read, the most important first.
  public private(set) var files: [String] = []
  /// How threads are kept.
  private var threads = ThreadOptions()

  public init(issuer: String? = nil, baseURL: String? = nil) {
    self.issuer = issuer
    self.baseURL = baseURL
  }

  /// Fills what the command line left open from the user's configuration file, then from the system's.
  ///
  /// - Throws: `StartFailure` when a file exists and is not a key file, or a key has a value
  ///   that cannot be read.
  public mutating func readConfiguration() throws {
    for directory in [Directories.configuration] + Directories.systemConfiguration {
      let path = directory + "/chappie/chappie.conf"
      guard Files.exists(path) else { continue }
      let file = try Self.keyFile(path)
      files.append(path)
      issuer = try issuer ?? file.setting("Backend", "Issuer")
      baseURL = try baseURL ?? file.setting("Backend", "BaseURL")
      clientID = try clientID ?? file.setting("Backend", "ClientID")
      model = try model ?? file.setting("Client", "Model")
      transport = try transport ?? file.setting("Client", "Transport")
      unknownLock = try unknownLock ?? file.setting("Lock", "Unknown")
      deviceKey = try deviceKey ?? file.setting("Keyring", "DeviceKey")
      plainSession = try plainSession ?? file.setting("Keyring", "PlainSession")
      notifications = try notifications ?? file.setting("Notifications", "Enabled")
      try threads.read(file)
    }
  }

  /// Finds out whether the service can start with these.
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

  /// How threads are kept; nil where they are not.
  ///
  /// - Throws: ``StartFailure`` for a key with a value that it cannot have.
  func threadPolicy() throws -> ThreadPolicy? {
    try threads.policy()
  }

  /// - Throws: ``StartFailure`` for a word that is no policy.
  private func lockPolicy() throws -> UnknownLockPolicy {
    guard let unknownLock else { return .keyring }
    guard let policy = UnknownLockPolicy(rawValue: unknownLock) else {
      throw StartFailure("[Lock] Unknown=", "keyring or deny", unknownLock)
    }
    return policy
  }

  /// How the keyring is used.
  ///
  /// - Throws: ``StartFailure`` for a key with a value that it cannot have.
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

  /// - Throws: ``StartFailure`` for a word that is no transport.
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

  /// The configuration that callers' own ones start from.
  ///
  /// - Throws: `ChappieClientError.invalidArgument` for an address that is neither HTTPS nor on the loopback,
  ///   ``StartFailure`` for a key with a value that it cannot have.
  func defaults() throws -> ChappieConfiguration {
    var configuration = ChappieConfiguration(applicationID: .desktopUser)
    let production = ChappieBackend.production
    configuration.backend = try ChappieBackend(
      issuer: issuer ?? production.issuer, baseURL: baseURL ?? production.baseURL,
      clientID: clientID ?? production.clientID)
    if let model { configuration.model = model }
    configuration.streamingTransportPolicy = try transportPolicy()
    configuration.unknownLockPolicy = try lockPolicy()
    return configuration
  }
}
