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
  /// A refresh is due this many seconds before the token expires, unless the issuer wants it later.
  private nonisolated static let renewalMargin: Int64 = 300

  /// A sign-in that is not renewed for 30 days ends. An unused one is renewed after this many seconds, which are 15 days.
  private nonisolated static let idleTime: Int64 = 1_296_000

  nonisolated var kind: ChappieSignInMethod { .browser }
  nonisolated var redeemsOnce: Bool { true }

  private nonisolated let configuration: ChappieBackend
  /// The name of the slot's application: each has a registration of its own.
  private nonisolated let originator: String
  private let issuer: BrowserIssuer
  private let tokens: BrowserTokenEndpoint
  private let registrations: RegistrationFile

  init(_ backend: ChappieBackend, slot: SlotIdentity, issuer: BrowserIssuer, http: AuthHTTP) {
    configuration = backend
    originator = slot.originator
    self.issuer = issuer
    tokens = BrowserTokenEndpoint(
      issuer: issuer, resource: backend.apiURL, http: http.asking(for: slot.originator))
    registrations = RegistrationFile(slot, issuer: backend.issuer)
  }

  // MARK: Signing in

  func signIn(_ request: SignInRequest, progress: @escaping @GLibActor (SignInProgress) -> Void) async throws
    -> Credential
  {
    progress(.preparing)
    let endpoint = try await issuer.addresses().authorization
    var record = await record(of: request)
    let attempt = try BrowserAttempt(
      issuer: issuer.issuer, endpoint: endpoint, clientID: record.current?.clientID, hostID: try await HostID.read(),
      resource: configuration.apiURL, request.options)
    let page = ChappieBrowserPage(
      authorizationURI: attempt.request.address(), expiresAt: (Timestamp.now + Self.patience).unixSeconds)
    progress(.waitingForBrowser(page, attempt.way))
    let hint = request.options.allowsAnotherAccount ? nil : request.replaced.flatMap { account(of: $0).email }
    if let openPage = request.options.openPage {
      Task.onGLib { await openPage(attempt.request.address(hint: hint), request.options.activationToken) }
    }
    let code: SecretBytes, issued: String?
    switch try await attempt.callback(atMost: .seconds(Self.patience)) {
    case .code(let received, let clientID): (code, issued) = (received, clientID)
    case .refused(code: "access_denied"): throw ChappieAuthError.declined
    case .refused(let reason) where AuthHTTP.clientErrors.contains(reason):
      await forget(record)
      throw ChappieAuthError.applicationRemoved
    case .refused(let reason): throw ChappieAuthError.invalidResponse("it refused the sign-in with \(reason)")
    }
    let registration = try await registered(issued, &record)
    progress(.exchanging)
    // With the keys at hand, only the exchange is waited for under the lock of the slot.
    try? await issuer.prepareCheck()
    let response: AuthHTTP.Response
    do {
      response = try await request.custody.issue { [self] in
        let answer = try await tokens.exchange(code, of: attempt.request, clientID: registration.clientID)
        var issued = try Credential(revocableIn: answer, method: kind, servers)
        issued.registration = RegisteredGrant(
          clientID: registration.clientID, subject: "", scopes: [], expiresAt: answer.time, earliestRefresh: nil)
        return (issued, answer)
      }
    } catch ChappieAuthError.applicationRemoved {
      await forget(record)
      throw ChappieAuthError.applicationRemoved
    }
    let answer = try TokenAnswer(response)
    guard answer.isBearer else { throw ChappieAuthError.invalidResponse("the tokens are of another type") }
    guard answer.refreshToken != nil else {
      throw ChappieAuthError.invalidResponse("the refresh token is missing or too long")
    }
    progress(.verifying)
    return try await verified(answer, attempt.request, record, registration)
  }

  /// What is known of the application before a sign-in: a stored sign-in has the registration that it was made with.
  private func record(of request: SignInRequest) async -> RegistrationRecord {
    var record = await registrations.read()
    if let grant = request.replaced?.registration, grant.clientID != record.removed {
      record.current = Registration(clientID: grant.clientID, subject: Registration.fingerprint(of: grant.subject))
    }
    record.account = RegistrationRecord.account(request.replaced?.claimedAccount.email) ?? record.account
    if request.options.registersAnew {
      record.removed = record.current?.clientID ?? record.removed
      record.current = nil
    }
    if request.options.allowsAnotherAccount {
      record.current = nil
      record.account = nil
    }
    return record
  }

  /// Notes that the issuer does not know a client id any more, so that the next sign-in registers the application.
  private func forget(_ record: RegistrationRecord) async {
    try? await registrations.write(RegistrationRecord(removed: record.current?.clientID, account: record.account))
  }

  /// The client id is stored before the exchange: if that fails, the next attempt must not register a second time.
  private func registered(_ issued: String?, _ record: inout RegistrationRecord) async throws -> Registration {
    if let known = record.current {
      guard issued == nil || issued == known.clientID else {
        throw ChappieAuthError.invalidResponse("it names another registration than this one's")
      }
      return known
    }
    guard let issued, Registration.isIssued(issued) else {
      throw ChappieAuthError.invalidResponse("it has not registered the application")
    }
    let pending = Registration(clientID: issued)
    record.current = pending
    try await registrations.write(record)
    return pending
  }

  private func verified(
    _ answer: TokenAnswer, _ request: AuthorizationRequest, _ record: RegistrationRecord, _ registration: Registration
  ) async throws -> Credential {
    guard let idToken = answer.idToken else {
      throw ChappieAuthError.invalidResponse("the ID token is missing or too long")
    }
    let identity = try await IDToken(
      verifying: idToken, of: issuer, clientID: registration.clientID, nonce: request.nonce)
    let subject = Registration.fingerprint(of: identity.subject)
    let account = RegistrationRecord.account(TokenClaims(idToken)?.email)
    // The issuer's names of a user are comparable for one client only.
    let isSame = registration.subject.map { $0 == subject } ?? (record.account == nil || record.account == account)
    guard isSame else {
      // What was registered just now belongs to that account.
      if registration.subject == nil {
        try? await registrations.write(RegistrationRecord(removed: record.removed, account: record.account))
      }
      throw ChappieAuthError.accountMismatch
    }
    try await registrations.write(
      RegistrationRecord(
        current: Registration(clientID: registration.clientID, subject: subject), removed: record.removed,
        account: account))
    return credential(answer, registration, subject: identity.subject)
  }

  private func credential(_ answer: TokenAnswer, _ registration: Registration, subject: String) -> Credential {
    credential(
      answer, idToken: answer.idToken,
      RegisteredGrant(
        clientID: registration.clientID, subject: subject, scopes: answer.scopes ?? [], expiresAt: answer.expiresAt,
        earliestRefresh: answer.earliestRefresh))
  }

  private func credential(_ answer: TokenAnswer, idToken: SecretBytes?, _ grant: RegisteredGrant) -> Credential {
    var credential = Credential(
      method: kind.rawValue, servers: servers, accessToken: answer.accessToken, refreshToken: answer.refreshToken,
      idToken: idToken, renewedAt: answer.time, issuerReading: answer.reading)
    credential.registration = grant
    return credential
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
    let answer: TokenAnswer
    do {
      answer = try await tokens.refresh(token, clientID: grant.clientID)
    } catch ChappieAuthError.applicationRemoved {
      let owner = RegistrationRecord.account(account(of: credential).email)
      await forget(RegistrationRecord(current: Registration(clientID: grant.clientID), account: owner))
      throw ChappieAuthError.applicationRemoved
    }
    // The ID token of the sign-in stays.
    var renewed = self.credential(
      answer, idToken: credential.idToken,
      RegisteredGrant(
        clientID: grant.clientID, subject: grant.subject, scopes: answer.scopes ?? grant.scopes,
        expiresAt: answer.expiresAt, earliestRefresh: answer.earliestRefresh))
    // Without a new one the old one stays in force (RFC 6749, section 6).
    renewed.refreshToken = answer.refreshToken ?? token
    if let idToken = answer.idToken, let fault = await fault(ofRenewed: idToken, grant) {
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

  func revoke(_ credential: Credential) async throws {
    guard let grant = credential.registration else { return }
    guard let token = credential.refreshToken else {
      // The server has ended a sign-in without one, unless its last answer was lost.
      guard credential.redeemedAt != nil else { return }
      throw ChappieAuthError.revocationFailed("there is no token to revoke it with")
    }
    try await tokens.revoke(token, clientID: grant.clientID)
  }

  nonisolated func validity(of credential: Credential) -> TokenValidity {
    guard let grant = credential.registration else {
      return TokenValidity(expiresAt: credential.renewedAt, dueAt: credential.renewedAt)
    }
    return TokenValidity(
      expiresAt: grant.expiresAt, dueAt: grant.expiresAt - Self.renewalMargin,
      keepAliveAt: credential.renewedAt + Self.idleTime, earliestRefresh: grant.earliestRefresh)
  }

  // MARK: The account

  /// The tokens name no account and no plan.
  nonisolated func account(of credential: Credential) -> ChappieAccountInfo {
    let claims = credential.idToken.flatMap(TokenClaims.init)
    return ChappieAccountInfo(email: claims?.email, userID: credential.registration?.subject)
  }

  nonisolated func planUse(of credential: Credential) -> ChappiePlanUse {
    guard let grant = credential.registration else { return .unknown }
    return grant.scopes.contains(AuthorizationRequest.planUseScope) ? .enabled : .notGranted
  }

  nonisolated func grant(_ credential: Credential) -> AccessGrant {
    // The user for this client stands for the account, which the tokens do not name.
    AccessGrant(self, credential, accountID: credential.registration?.subject)
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

  nonisolated func authorize(_ request: inout HTTPRequest, with grant: AccessGrant) {
    request.setHeader("authorization", prefix: "Bearer ", secret: grant.accessToken)
  }
}
