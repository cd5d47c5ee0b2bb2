import GLibBridge

/// One way to sign in: its endpoints, its rules for renewing, what it knows of the account, and how a request to
/// its backend is authorized. Nothing outside a method knows any of these.
@GLibActor
protocol SignInMethod: Sendable {
  /// The name that is stored with each credential.
  nonisolated var identifier: String { get }

  /// Signs in.
  ///
  /// - Parameter progress: told of each stage.
  /// - Throws: ``ChappieAuthError``.
  func signIn(progress: @escaping @GLibActor (SignInProgress) -> Void) async throws -> Credential

  /// Renews the tokens.
  ///
  /// - Throws: ``ChappieAuthError``; where its `requiresReauthentication` is true the credential is spent.
  func refresh(_ credential: Credential) async throws -> Credential

  /// Asks the server to forget the tokens.
  ///
  /// - Throws: ``ChappieAuthError/revocationFailed(_:)``, `CancellationError`.
  func revoke(_ credential: Credential) async throws

  /// Where its credentials may be sent.
  nonisolated var servers: CredentialServers { get }

  /// Where a conversation's turns are sent.
  nonisolated var responsesURL: String { get }

  /// Where the models are listed.
  nonisolated var modelsURL: String { get }

  /// Where the use of the plan is told.
  nonisolated var usageURL: String { get }

  /// Adds what the backend needs to know the user by.
  nonisolated func authorize(_ request: inout HTTPRequest, with grant: AccessGrant)
}

/// A stage of a sign-in.
enum SignInProgress: Sendable {
  case requestingCode
  case waitingForApproval(ChappieDeviceCode)
  case exchanging
}
