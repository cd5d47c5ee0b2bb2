import ChappieSDK
import GLibBridge
import Platform
import SecretMemory

/// How a test's sign-in stands at its start.
public enum ChappieAuthFixture: Sendable, CaseIterable {
  /// Nobody is signed in.
  case signedOut
  /// A user is signed in, and the tokens are good.
  case signedIn
  /// A user is signed in; the backend answers 401 to the access token, and it can be renewed.
  case accessTokenExpired
  /// A user is signed in; the backend answers 401 to the access token, and there is nothing to renew it with: the first
  /// request ends the sign-in.
  case refreshTokenMissing
  /// A user was signed in, and the credential can no longer be renewed.
  case reauthenticationRequired
}

extension ChappieConfiguration {
  /// A configuration for a test: its servers are `backend`, its credential starts as `fixture` and lives in memory
  /// alone. Each call makes a slot of its own, so tests can run side by side. No keyring is touched.
  ///
  /// - Parameters:
  ///   - backend: a stand-in that serves for as long as the configuration is used.
  ///   - user: who is signed in; nil is the stand-in's configured user.
  @GLibActor
  public static func testing(
    _ fixture: ChappieAuthFixture, backend: StandInBackend, user: StandInUser? = nil
  ) throws -> ChappieConfiguration {
    let configuration = try ownSlot(issuer: backend.issuer, baseURL: backend.baseURL)
    seed(configuration, credential(fixture, configuration, backend, user))
    return configuration
  }

  /// A configuration for a test whose servers are in another process, such as `chappie-sandbox`. Nobody is signed in; a
  /// credential lives in memory alone. Each call makes a slot of its own, and no keyring is touched.
  ///
  /// - Parameters:
  ///   - issuer: where the user signs in: an HTTPS address, or an HTTP one of the loopback.
  ///   - baseURL: the `…/backend-api` that answers, likewise.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for any other address.
  @GLibActor
  public static func testing(issuer: String, baseURL: String) throws -> ChappieConfiguration {
    let configuration = try ownSlot(issuer: issuer, baseURL: baseURL)
    seed(configuration, nil)
    return configuration
  }

  /// This configuration with other servers, and the same slot: for tests of what an app does with its keyring. A
  /// credential that is stored for other servers is of no use there, and is sent nowhere.
  ///
  /// - Throws: as ``testing(issuer:baseURL:)``.
  public func servedBy(issuer: String, baseURL: String) throws -> ChappieConfiguration {
    var configuration = self
    configuration.backend = try ChappieBackend(issuer: issuer, baseURL: baseURL)
    return configuration
  }

  @GLibActor
  private static func ownSlot(issuer: String, baseURL: String) throws -> ChappieConfiguration {
    FixtureCount.value += 1
    return try ChappieConfiguration(
      keychainService: "com.chappie.sdk.testing", keychainAccount: "fixture-\(FixtureCount.value)"
    ).servedBy(issuer: issuer, baseURL: baseURL)
  }

  @GLibActor
  private static func seed(_ configuration: ChappieConfiguration, _ credential: Credential?) {
    SlotRegistry.seed(SlotIdentity(configuration), with: MemoryCredentialStore(credential))
  }

  @GLibActor
  private static func credential(
    _ fixture: ChappieAuthFixture, _ configuration: ChappieConfiguration, _ backend: StandInBackend,
    _ user: StandInUser?
  ) -> Credential? {
    guard fixture != .signedOut else { return nil }
    let tokens = backend.signIn(user)
    if fixture != .signedIn { backend.revokeAccessToken(tokens.accessToken) }
    let isRenewable = fixture == .signedIn || fixture == .accessTokenExpired
    var credential = Credential(
      method: "device-code", servers: configuration.backend.servers,
      accessToken: SecretBytes(tokens.accessToken.utf8),
      refreshToken: isRenewable ? SecretBytes(tokens.refreshToken.utf8) : nil,
      idToken: SecretBytes(tokens.idToken.utf8), renewedAt: UnixTime.now)
    if fixture == .reauthenticationRequired { credential.refusedAt = .now }
    return credential
  }
}

@GLibActor
private enum FixtureCount {
  static var value = 0
}
