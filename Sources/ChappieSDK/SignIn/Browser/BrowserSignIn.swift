// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Signs in with ChatGPT in the user's browser: the user connects the application on the issuer's page, and the browser
/// returns to a listener of this process with a code.
///
/// The issuer registers the application for each user during the first sign-in. Each slot has its own registration.
@GLibActor
final class BrowserSignIn: SignInMethod {
  /// The longest time for the user, in seconds.
  private static let patience: Int64 = 600
  /// A sign-in that is not renewed for 30 days ends. An unused one is renewed after this many seconds, which are 15 days.
  private nonisolated static let idleTime: Int64 = 1_296_000

  nonisolated var kind: ChappieSignInMethod { .browser }
  nonisolated var redeemsOnce: Bool { true }

  nonisolated let configuration: ChappieBackend
  /// The name of the slot's application: each has a registration of its own.
  private nonisolated let originator: String
  let issuer: BrowserIssuer
  let http: AuthHTTP
  private let registrations: RegistrationFile
  /// Waits for the browser of the running sign-in.
  private var listener: CallbackListener?

  init(_ backend: ChappieBackend, slot: SlotIdentity, issuer: BrowserIssuer) {
    configuration = backend
    originator = slot.originator
    self.issuer = issuer
    http = issuer.http.asking(for: slot.originator)
    registrations = RegistrationFile(slot, issuer: backend.issuer)
  }

  // MARK: Signing in

  func signIn(_ request: SignInRequest, progress: @escaping @GLibActor (SignInProgress) -> Void) async throws
    -> Credential
  {
    progress(.preparing)
    let endpoint = try await issuer.addresses().authorization
    var registration = await registration(for: request)
    let hostID = try await HostID.read()
    let state = AuthorizationRequest.random()
    let listener = try CallbackListener(state: SecretBytes(state.utf8), issuer: issuer.issuer)
    self.listener = listener
    let options = request.options
    let page = AuthorizationRequest(
      state: state, endpoint: endpoint, clientID: registration.clientID, applicationName: options.applicationName,
      hostID: hostID, redirectURI: listener.redirectURI, resource: configuration.apiURL,
      asksForPlanUse: options.asksForPlanUse)
    let shown = ChappieBrowserPage(
      authorizationURI: ChappieAddress(address: page.address()),
      expiresAt: ChappieTime(unixSeconds: (Timestamp.now + Self.patience).unixSeconds))
    progress(.waiting(.openPage(shown, isElsewhere: options.pastesAddress)))
    if let openPage = options.openPage {
      let hint = options.allowsAnotherAccount ? nil : request.replaced.flatMap { facts(of: $0).account.email }
      Task.onGLib { await openPage(page.address(hint: hint), options.activationToken) }
    }
    let code = try await code(listener, &registration)
    progress(.exchanging)
    // With the keys at hand, only the exchange is waited for under the lock of the slot.
    try? await issuer.prepareCheck()
    let clientID = registration.clientID ?? ""
    let response: AuthHTTP.Response
    do {
      response = try await request.custody.issue { [self] in
        let answer = try await exchange(code, of: page, clientID: clientID)
        var issued = try Credential(revocableIn: answer, method: kind, servers)
        issued.registration = RegisteredGrant(clientID: clientID, subject: "", scopes: [], expiresAt: answer.time)
        return (issued, answer)
      }
    } catch ChappieAuthError.applicationRemoved {
      await forget(registration)
      throw ChappieAuthError.applicationRemoved
    }
    let grant = RegisteredGrant(clientID: clientID, subject: "", scopes: [], expiresAt: response.time)
    var credential = try Credential(response, servers, grant)
    guard response.isBearer else { throw ChappieAuthError.invalidResponse("the tokens are of another type") }
    guard credential.refreshToken != nil else {
      throw ChappieAuthError.invalidResponse("the refresh token is missing or too long")
    }
    progress(.verifying)
    let subject = try await verified(credential.idToken, nonce: page.nonce, registration, clientID)
    credential.registration?.subject = subject
    return credential
  }

  func complete(_ address: String) throws {
    guard let listener else { throw ChappieAuthError.noBrowserSignIn }
    try listener.take(pasted: address)
  }

  func signInEnded(_ error: ChappieAuthError?) async {
    guard let listener else { return }
    self.listener = nil
    listener.finish(CallbackPage(endOf: error))
    await listener.browserLeft()
  }

  /// What is known of the application before a sign-in: a stored sign-in has the registration that it was made with.
  private func registration(for request: SignInRequest) async -> Registration {
    var registration = await registrations.read()
    if let grant = request.replaced?.registration, grant.clientID != registration.removed {
      registration.clientID = grant.clientID
      registration.subject = Registration.subject(grant.subject)
    }
    registration.account =
      Registration.account(request.replaced?.claimedFacts.account.email) ?? registration.account
    if request.options.registersAnew {
      registration = Registration(
        removed: registration.clientID ?? registration.removed, account: registration.account)
    }
    if request.options.allowsAnotherAccount { registration = Registration(removed: registration.removed) }
    return registration
  }

  /// Notes that the issuer does not know a client id any more, so that the next sign-in registers the application.
  private func forget(_ registration: Registration) async {
    try? await registrations.write(Registration(removed: registration.clientID, account: registration.account))
  }

  /// Waits for the browser's return, and returns its code. The client id that it brings is stored before the exchange: if
  /// that fails, the next attempt must not register a second time.
  private func code(_ listener: CallbackListener, _ registration: inout Registration) async throws -> SecretBytes {
    let callback: Callback
    do {
      callback = try await withDeadline(.seconds(Self.patience)) { try await listener.callback() }
    } catch let error as GLibError where error.isTimeout {
      throw ChappieAuthError.expired
    }
    switch callback {
    case .refused(code: "access_denied"): throw ChappieAuthError.declined
    case .refused(let reason) where AuthHTTP.clientErrors.contains(reason):
      await forget(registration)
      throw ChappieAuthError.applicationRemoved
    case .refused(let reason): throw ChappieAuthError.invalidResponse("it refused the sign-in with \(reason)")
    case .code(let code, let issued):
      if let known = registration.clientID {
        guard issued == nil || issued == known else {
          throw ChappieAuthError.invalidResponse("it names another registration than this one's")
        }
      } else {
        guard let issued, Registration.isIssued(issued) else {
          throw ChappieAuthError.invalidResponse("it has not registered the application")
        }
        registration.clientID = issued
        try await registrations.write(registration)
      }
      return code
    }
  }

  /// Checks who has signed in, and stores whose registration it is.
  ///
  /// - Returns: the issuer's name of the user.
  private func verified(
    _ idToken: SecretBytes?, nonce: String, _ registration: Registration, _ clientID: String
  ) async throws -> String {
    guard let idToken else {
      throw ChappieAuthError.invalidResponse("the ID token is missing or too long")
    }
    let identity = try await IDToken(verifying: idToken, of: issuer, clientID: clientID, nonce: nonce)
    let subject = Registration.subject(identity.subject)
    let account = Registration.account(TokenClaims(idToken)?.email)
    // The issuer's names of a user are comparable for one client only.
    let isSame =
      registration.subject.map { $0 == subject } ?? (registration.account == nil || registration.account == account)
    guard isSame else {
      // What was registered just now belongs to that account.
      if registration.subject == nil {
        try? await registrations.write(Registration(removed: registration.removed, account: registration.account))
      }
      throw ChappieAuthError.accountMismatch
    }
    try await registrations.write(
      Registration(clientID: clientID, subject: subject, removed: registration.removed, account: account))
    return identity.subject
  }

  // MARK: Keeping and ending

  var clock: IssuerClock { issuer.http.clock }

  func askTime() async throws { _ = try await issuer.addresses(isFresh: true) }

  func prepareRefresh() async throws {
    _ = try await issuer.addresses()
    // With the keys at hand, nothing is asked for between the answer and its storage.
    try? await issuer.prepareCheck()
  }

  func refresh(_ credential: Credential) async throws -> Credential {
    guard let token = credential.refreshToken, let grant = credential.registration else {
      throw ChappieAuthError.missingRefreshToken
    }
    var renewed: Credential
    do {
      renewed = try await redeem(token, grant)
    } catch ChappieAuthError.applicationRemoved {
      let owner = Registration.account(facts(of: credential).account.email)
      await forget(Registration(clientID: grant.clientID, account: owner))
      throw ChappieAuthError.applicationRemoved
    }
    // Without a new one the old one stays in force (RFC 6749, section 6).
    renewed.refreshToken = renewed.refreshToken ?? token
    let idToken = renewed.idToken
    // The ID token of the sign-in stays.
    renewed.idToken = credential.idToken
    if let idToken, let fault = await fault(ofRenewed: idToken, grant) {
      throw UnusableRenewal(credential: renewed, error: .ended(fault))
    }
    return renewed
  }

  /// What is wrong with the ID token of a refresh.
  private func fault(ofRenewed idToken: SecretBytes, _ grant: RegisteredGrant) async -> String? {
    do {
      let identity = try await IDToken(verifying: idToken, of: issuer, clientID: grant.clientID, nonce: nil)
      return identity.subject == grant.subject ? nil : "the sign-in server has renewed it for another user"
    } catch ChappieAuthError.identityNotVerified(let reason) {
      return "the sign-in server's proof of who renewed it cannot be used (\(reason))"
    } catch {
      return nil
    }
  }

  /// The tokens name no account and no plan. The user for this client stands for the account.
  nonisolated func facts(of credential: Credential) -> CredentialFacts {
    let email = credential.idToken.flatMap(TokenClaims.init)?.email
    guard let grant = credential.registration else {
      return CredentialFacts(
        account: ChappieAccountInfo(email: email),
        validity: TokenValidity(expiresAt: credential.renewedAt, dueAt: credential.renewedAt))
    }
    return CredentialFacts(
      account: ChappieAccountInfo(email: email, userID: grant.subject),
      planUse: grant.scopes.contains(AuthorizationRequest.planUseScope) ? .enabled : .notGranted,
      validity: TokenValidity(
        expiresAt: grant.expiresAt, dueAt: grant.expiresAt - Credential.renewalMargin,
        keepAliveAt: credential.renewedAt + Self.idleTime, earliestRefresh: grant.earliestRefresh),
      requester: grant.subject)
  }

  // MARK: The backend

  nonisolated var servers: CredentialServers { configuration.browserServers }

  nonisolated var backend: BackendProfile {
    let base = configuration.apiURL
    return BackendProfile(
      responsesURL: "\(base)/responses", modelsURL: "\(base)/models", usageURL: nil,
      manageUsageURL: "https://chatgpt.com/settings/usage",
      clientHeaders: [("originator", originator)], threadHeaders: [], hasWebSocket: false, takesCompression: false,
      hasLiteForm: false, servesListedModels: true, needsBackgroundConsent: true)
  }
}
