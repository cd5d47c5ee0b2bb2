import GLibBridge

/// One way to sign in. It alone knows its endpoints, its refresh rules, its account facts and the authorization of
/// requests to its backend.
@GLibActor
protocol SignInMethod: Sendable {
  /// The name stored with each credential.
  nonisolated var identifier: String { get }

  /// Signs in.
  ///
  /// - Parameter progress: called at each stage.
  /// - Throws: ``ChappieAuthError``.
  func signIn(progress: @escaping @GLibActor (SignInProgress) -> Void) async throws -> Credential

  /// Refreshes the tokens.
  ///
  /// - Throws: ``ChappieAuthError``. Where its `requiresReauthentication` is true, the credential cannot be refreshed
  ///   again.
  func refresh(_ credential: Credential) async throws -> Credential

  /// Asks the server to revoke the tokens.
  ///
  /// - Throws: ``ChappieAuthError/revocationFailed(_:)``, `CancellationError`.
  func revoke(_ credential: Credential) async throws

  /// The only servers that may receive its credentials.
  nonisolated var servers: CredentialServers { get }

  /// The address for a conversation's turns.
  nonisolated var responsesURL: String { get }

  /// The address of the model list.
  nonisolated var modelsURL: String { get }

  /// The address of the plan's usage.
  nonisolated var usageURL: String { get }

  /// Adds the headers that identify the user to the backend.
  nonisolated func authorize(_ request: inout HTTPRequest, with grant: AccessGrant)
}

/// A stage of a sign-in.
enum SignInProgress: Sendable {
  case requestingCode
  case waitingForApproval(ChappieDeviceCode)
  case exchanging
}
