// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import SecretMemory

/// The state of the sign-in at the start of a test.
public enum ChappieAuthFixture: Sendable, CaseIterable {
  /// Nobody is signed in.
  case signedOut
  /// A user is signed in, and the tokens are valid.
  case signedIn
  /// A user is signed in. The backend refuses the access token with 401, and the refresh token is valid.
  case accessTokenExpired
  /// A user is signed in. The backend refuses the access token with 401, and there is no refresh token: the first
  /// request ends the sign-in.
  case refreshTokenMissing
  /// A user was signed in, and the credential cannot be refreshed any more.
  case reauthenticationRequired
}

extension ChappieConfiguration {
  /// Makes a configuration for a test. Its servers are `backend`, and its credential starts as `fixture` and stays in
  /// memory. Each call makes a slot of its own, so tests can run in parallel. No keyring is used.
  ///
  /// - Parameters:
  ///   - fixture: the state of the sign-in.
  ///   - backend: a stand-in that runs as long as the configuration is used.
  ///   - user: the user who is signed in; nil for the stand-in's default user.
  @GLibActor
  public static func testing(
    _ fixture: ChappieAuthFixture, backend: StandInBackend, user: StandInUser? = nil
  ) throws -> ChappieConfiguration {
    let configuration = try ownSlot(issuer: backend.issuer, baseURL: backend.baseURL, apiURL: backend.publicAPI)
    seed(configuration, credential(fixture, configuration, backend, user))
    return configuration
  }

  /// Makes a configuration for a test with servers in another process, such as `chappie-sandbox`. Nobody is signed in,
  /// and a credential stays in memory. Each call makes a slot of its own. No keyring is used.
  ///
  /// - Parameters:
  ///   - issuer: the address of the issuer: HTTPS, or HTTP on the loopback.
  ///   - baseURL: the address of the backend, ending in `/backend-api`: HTTPS, or HTTP on the loopback.
  ///   - apiURL: the address of the public API, ending in `/v1`; nil for that of `chappie-sandbox`, at the issuer.
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for any other address.
  @GLibActor
  public static func testing(issuer: String, baseURL: String, apiURL: String? = nil) throws -> ChappieConfiguration {
    let configuration = try ownSlot(issuer: issuer, baseURL: baseURL, apiURL: apiURL)
    seed(configuration, nil)
    return configuration
  }

  /// Copies this configuration with other servers and the same slot, for tests that use a keyring. A credential that
  /// was stored for other servers is not sent to the new ones.
  ///
  /// - Parameters: as ``testing(issuer:baseURL:apiURL:)``.
  /// - Throws: as ``testing(issuer:baseURL:apiURL:)``.
  public func servedBy(issuer: String, baseURL: String, apiURL: String? = nil) throws -> ChappieConfiguration {
    var configuration = self
    let ownAPI = (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/v1"
    configuration.backend = try ChappieBackend(issuer: issuer, baseURL: baseURL, apiURL: apiURL ?? ownAPI)
    return configuration
  }

  @GLibActor private static var fixtureCount = 0

  @GLibActor
  private static func ownSlot(issuer: String, baseURL: String, apiURL: String?) throws -> ChappieConfiguration {
    fixtureCount += 1
    let configuration = try ChappieConfiguration(
      keychainService: "com.chappie.sdk.testing", keychainAccount: "fixture-\(fixtureCount)"
    ).servedBy(issuer: issuer, baseURL: baseURL, apiURL: apiURL)
    TestHosts.allow([issuer, baseURL, configuration.backend.apiURL])
    return configuration
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
      refreshToken: isRenewable ? tokens.refreshToken.map { SecretBytes($0.utf8) } : nil,
      idToken: SecretBytes(tokens.idToken.utf8), renewedAt: .now)
    if fixture == .reauthenticationRequired {
      credential.refusedAt = .now
      credential.refusal = .tokenExchangeFailed(status: 400, message: "invalid_grant")
    }
    return credential
  }
}

/// A credential store that keeps one credential in memory.
@GLibActor
private final class MemoryCredentialStore: SlotStore {
  private var credential: Credential?

  init(_ credential: Credential?) {
    self.credential = credential
  }

  func find(_ slot: SlotIdentity) -> StoredItem<Credential> {
    guard let credential else { return .none }
    // Readable while locked, so that the lock of the developer's desktop does not affect tests.
    return .unread(UnreadItem(.afterFirstUnlockThisDeviceOnly) { .secret(credential) })
  }

  func write(
    _ credential: Credential, for slot: SlotIdentity, accessibility: ChappieKeychainAccessibility,
    interaction: UserInteraction
  ) {
    self.credential = credential
  }

  func delete(_ slot: SlotIdentity, interaction: UserInteraction) {
    credential = nil
  }

  func unlock(_ slot: SlotIdentity, interaction: UserInteraction) {}
}
