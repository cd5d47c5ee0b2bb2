// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// One way to sign in. It alone knows its endpoints, its refresh rules, its account facts, and how to address its
/// backend.
@GLibActor
protocol SignInMethod: Sendable {
  /// The name stored with each credential.
  nonisolated var kind: ChappieSignInMethod { get }

  /// The only servers that may receive its credentials.
  nonisolated var servers: CredentialServers { get }

  /// The backend that answers its requests.
  nonisolated var backend: BackendProfile { get }

  /// The clock of its issuer, by which all times of a credential are.
  var clock: IssuerClock { get }

  /// Whether the server takes each refresh token once. A refresh token whose answer may have been lost is then never
  /// sent again, and one that the server refuses is dropped at once.
  nonisolated var redeemsOnce: Bool { get }

  /// Signs in.
  ///
  /// - Parameter progress: called at each stage.
  /// - Throws: ``ChappieAuthError``.
  func signIn(_ request: SignInRequest, progress: @escaping @GLibActor (SignInProgress) -> Void) async throws
    -> Credential

  /// Asks the issuer for its time, which ``clock`` then shows if there is one in the answer.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func askTime() async throws

  /// Asks for what a refresh needs, before a refresh token leaves the keyring.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func prepareRefresh() async throws

  /// Refreshes the tokens.
  ///
  /// - Throws: ``ChappieAuthError``. Where its `requiresReauthentication` is true, the credential cannot be refreshed
  ///   again. ``RedemptionLost`` when the server may have redeemed the refresh token, and no answer tells.
  ///   ``UnusableRenewal`` for tokens that must not be used.
  func refresh(_ credential: Credential) async throws -> Credential

  /// Asks the server to revoke the tokens.
  ///
  /// - Throws: ``ChappieAuthError/revocationFailed(_:)``, `CancellationError`.
  func revoke(_ credential: Credential) async throws

  /// What a credential tells.
  nonisolated func facts(of credential: Credential) -> CredentialFacts

  /// Takes the address at which a browser on another machine arrived.
  ///
  /// - Throws: ``ChappieAuthError/invalidAddress(_:)`` for another address, or when no sign-in waits for one. A running
  ///   sign-in goes on.
  func complete(_ address: String) throws

  /// Tells how the sign-in has ended, nil for success: its credential is stored. When this returns, the program may end.
  func signInEnded(_ error: ChappieAuthError?) async
}

extension SignInMethod {
  /// A method whose server takes a refresh token more than once needs no certain time.
  func askTime() async throws {}
  func prepareRefresh() async throws {}

  func complete(_ address: String) throws {
    throw ChappieAuthError.noBrowserSignIn
  }

  func signInEnded(_ error: ChappieAuthError?) async {}
}

/// What a sign-in starts from.
struct SignInRequest: Sendable {
  /// The credential that a new one would replace. Nil when there is none, or it cannot be read.
  let replaced: Credential?
  let options: SignInOptions
  let custody: any SignInCustody
}

/// Keeps what a sign-in is issued until it is stored, so that neither a cancelled sign-in nor the end of this process
/// leaves one behind that nobody can end.
@GLibActor
protocol SignInCustody: Sendable {
  /// Asks the server for tokens, and keeps them before anybody checks them.
  ///
  /// - Parameter ask: asks the server. It returns the tokens, as far as they are needed to end the sign-in, and the whole
  ///   answer.
  /// - Throws: the errors of `ask`, ``CredentialError``, `CancellationError`.
  func issue<Answer: Sendable>(
    _ ask: @escaping @GLibActor @Sendable () async throws -> (Credential, Answer)
  ) async throws -> Answer
}

/// The wishes of the program that starts a sign-in. A method ignores those that do not concern it.
package struct SignInOptions: Sendable {
  /// The application's own name for the issuer's page of consent.
  package var applicationName: String
  /// Opens a page in the user's browser. A failure is not reported, because the page can be opened by hand.
  package typealias OpenPage =
    @GLibActor @Sendable (_ address: String, _ activationToken: String?) async -> Void

  /// Opens the page of the sign-in. Nil opens nothing.
  package var openPage: OpenPage?
  /// Whether the issuer asks the user again to allow the use of the plan.
  package var asksForPlanUse = false
  /// Whether another account may replace the one of the slot.
  package var allowsAnotherAccount = false
  /// Whether the issuer registers the application anew, since the user has removed it from the account.
  package var registersAnew = false
  /// Whether the user approves in a browser on another machine.
  package var pastesAddress = false
  /// The XDG activation token of the user's action.
  package var activationToken: String?

  package init(applicationName: String) {
    self.applicationName = applicationName
  }
}

/// A stage of a sign-in.
enum SignInProgress: Sendable {
  /// The server is asked for what the user needs.
  case preparing
  case waiting(SignInStep)
  case exchanging
  case verifying
}

/// The server may have redeemed a refresh token, and no answer tells.
struct RedemptionLost: Error {
  let error: ChappieAuthError
}

/// The server has renewed a sign-in, and not as the user's own.
struct UnusableRenewal: Error {
  /// Nobody may use it, and the server is to end it.
  let credential: Credential
  let error: ChappieAuthError
}

/// The ways to sign in to a slot.
extension [any SignInMethod] {
  subscript(_ kind: ChappieSignInMethod) -> (any SignInMethod)? { first { $0.kind == kind } }

  /// The method that keeps a credential. Nil for a credential of another method, or for other servers: it is then sent
  /// nowhere.
  subscript(_ credential: Credential) -> (any SignInMethod)? {
    first { $0.kind.rawValue == credential.method && $0.servers == credential.servers }
  }
}
