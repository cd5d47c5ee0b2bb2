import ChappieSDK
import GLibBridge
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
    FixtureCount.value += 1
    var configuration = ChappieConfiguration(
      keychainService: "com.chappie.sdk.testing", keychainAccount: "fixture-\(FixtureCount.value)")
    configuration.backend = try ChappieBackend(issuer: backend.issuer, baseURL: backend.baseURL)
    SlotRegistry.seed(
      SlotIdentity(configuration), with: MemoryCredentialStore(credential(fixture, configuration, backend, user)))
    return configuration
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
