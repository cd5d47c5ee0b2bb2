// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Signs in with a device code: the server issues a code, the user approves it on a web page, and this program polls.
struct DeviceCodeSignIn: SignInMethod {
  /// The lifetime of a device code, in seconds. The server's answer does not state it.
  static let codeLifetime: Int64 = 900
  /// The wait between polls, in seconds, when the server names none.
  static let defaultInterval: Double = 5

  nonisolated var kind: ChappieSignInMethod { .deviceCode }
  nonisolated var redeemsOnce: Bool { false }

  private let configuration: ChappieBackend
  let tokens: TokenEndpoint
  private let http: AuthHTTP

  init(_ backend: ChappieBackend, http: AuthHTTP) {
    configuration = backend
    self.http = http
    tokens = TokenEndpoint(issuer: backend.issuer, clientID: backend.clientID, http: http)
  }

  var clock: IssuerClock { http.clock }

  // MARK: Signing in

  func signIn(_ request: SignInRequest, progress: @escaping @GLibActor (SignInProgress) -> Void) async throws
    -> Credential
  {
    progress(.preparing)
    let code = try await requestCode()
    let deadline = Timestamp.now + Self.codeLifetime
    progress(
      .waitingForApproval(
        ChappieDeviceCode(
          userCode: code.userCode, verificationURI: "\(configuration.issuer)/codex/device",
          expiresAt: deadline.unixSeconds)))
    let approval = try await poll(code, until: deadline)
    progress(.exchanging)
    let answer = try await request.custody.issue {
      let answer = try await tokens.exchange(
        code: approval.code, verifier: approval.verifier, redirectURI: "\(configuration.issuer)/deviceauth/callback")
      return (try Credential(revocableIn: answer, method: kind, servers), answer)
    }
    return try tokens.credential(answer, method: kind.rawValue, servers: servers)
  }

  private struct Code {
    let deviceAuthID: String
    let userCode: String
    let interval: Double
  }

  private struct Approval {
    let code: SecretBytes
    let verifier: SecretBytes
  }

  private func requestCode() async throws -> Code {
    let answer = try await http.post(
      "\(configuration.issuer)/api/accounts/deviceauth/usercode", json: ["client_id": .string(configuration.clientID)])
    guard answer.isSuccess else {
      throw ChappieAuthError.deviceCodeRequestFailed(status: answer.status, message: answer.errorMessage)
    }
    return try answer.body.withSpan { json in
      guard let deviceAuthID = CredentialCoding.text("device_auth_id", json),
        let userCode = CredentialCoding.text("user_code", json) ?? CredentialCoding.text("usercode", json),
        Self.isShowable(userCode)
      else { throw ChappieAuthError.invalidResponse("there is no code in it") }
      return Code(
        deviceAuthID: deviceAuthID, userCode: userCode,
        interval: Self.interval(CredentialCoding.text("interval", json)))
    }
  }

  /// Parses the poll interval, in seconds. The server sends a string. A missing or invalid one gives the default.
  static func interval(_ text: String?) -> Double {
    guard let text, let seconds = Double(text), seconds.isFinite, seconds > 0 else { return defaultInterval }
    return min(max(seconds, 0.05), 60)
  }

  /// Whether `code` is safe to show on a terminal or a panel: letters, digits and dashes only.
  static func isShowable(_ code: String) -> Bool {
    (1...64).contains(code.utf8.count)
      && code.utf8.allSatisfy { byte in
        Character(Unicode.Scalar(byte)).isASCII
          && (Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber || byte == 0x2D)
      }
  }

  private func poll(_ code: Code, until deadline: Timestamp) async throws -> Approval {
    let url = "\(configuration.issuer)/api/accounts/deviceauth/token"
    while .now < deadline {
      let answer = try await http.post(
        url, json: ["device_auth_id": .string(code.deviceAuthID), "user_code": .string(code.userCode)])
      switch answer.status {
      case 200..<300: return try approval(answer)
      case 403, 404: try await sleep(for: .seconds(code.interval))
      default: throw Self.refusal(answer)
      }
    }
    throw ChappieAuthError.expired
  }

  private func approval(_ answer: AuthHTTP.Response) throws -> Approval {
    try answer.body.withSpan { json in
      guard let code = CredentialCoding.string("authorization_code", json),
        let verifier = CredentialCoding.string("code_verifier", json)
      else { throw ChappieAuthError.invalidResponse("there is no authorization code in it") }
      TokensAtHand.note(code)
      TokensAtHand.note(verifier)
      return Approval(code: code, verifier: verifier)
    }
  }

  private static func refusal(_ answer: AuthHTTP.Response) -> ChappieAuthError {
    switch answer.errorCode {
    case "access_denied", "authorization_declined": .declined
    case "expired_token": .expired
    default: .tokenExchangeFailed(status: answer.status, message: answer.errorMessage)
    }
  }

  // MARK: Keeping and ending

  func refresh(_ credential: Credential) async throws -> Credential {
    try await tokens.refresh(credential)
  }

  func revoke(_ credential: Credential) async throws {
    try await tokens.revoke(credential)
  }

  nonisolated func validity(of credential: Credential) -> TokenValidity { credential.claimedValidity }

  // MARK: The account

  nonisolated func account(of credential: Credential) -> ChappieAccountInfo { credential.claimedAccount }

  /// The tokens do not tell.
  nonisolated func planUse(of credential: Credential) -> ChappiePlanUse { .unknown }

  nonisolated func grant(_ credential: Credential) -> AccessGrant {
    AccessGrant(
      self, credential, accountID: credential.claimedAccount.accountID, isFedRAMP: credential.claimsFedRAMP)
  }

  // MARK: The backend

  nonisolated var servers: CredentialServers { configuration.servers }

  nonisolated var backend: BackendProfile {
    let base = configuration.baseURL
    return BackendProfile(
      responsesURL: "\(base)/codex/responses",
      modelsURL: "\(base)/codex/models?client_version=\(ProtocolVersion.current)",
      usageURL: "\(base)/wham/usage", manageUsageURL: nil,
      clientHeaders: [("originator", "chappie"), ("version", ProtocolVersion.current)],
      threadHeaders: ["session-id", "thread-id", "x-client-request-id"],
      hasWebSocket: true, takesCompression: true, hasLiteForm: true, servesListedModels: false,
      needsBackgroundConsent: false)
  }

  nonisolated func authorize(_ request: inout HTTPRequest, with grant: AccessGrant) {
    request.setHeader("authorization", prefix: "Bearer ", secret: grant.accessToken)
    if let accountID = grant.accountID { request.setHeader("chatgpt-account-id", accountID) }
    if grant.isFedRAMP { request.setHeader("x-openai-fedramp", "true") }
  }
}
