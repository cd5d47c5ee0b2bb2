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
  private let http: AuthHTTP

  init(_ backend: ChappieBackend, http: AuthHTTP) {
    configuration = backend
    self.http = http
  }

  var clock: IssuerClock { http.clock }

  // MARK: Signing in

  func signIn(_ request: SignInRequest, progress: @escaping @GLibActor (SignInProgress) -> Void) async throws
    -> Credential
  {
    progress(.preparing)
    let code = try await requestCode()
    let deadline = Timestamp.now + Self.codeLifetime
    let shown = ChappieDeviceCode(
      userCode: code.userCode, verificationURI: ChappieAddress(address: "\(configuration.issuer)/codex/device"),
      expiresAt: ChappieTime(unixSeconds: deadline.unixSeconds))
    progress(.waiting(.showCode(shown)))
    let approval = try await poll(code, until: deadline)
    progress(.exchanging)
    let answer = try await request.custody.issue {
      let answer = try await exchange(code: approval.code, verifier: approval.verifier)
      return (try Credential(revocableIn: answer, method: kind, servers), answer)
    }
    return try credential(answer)
  }

  private typealias Code = (deviceAuthID: String, userCode: String, interval: Double)

  private func requestCode() async throws -> Code {
    let answer = try await http.post(
      "\(configuration.issuer)/api/accounts/deviceauth/usercode",
      .bytes(ChappieJSONValue.object(["client_id": clientID]).encoded), "application/json")
    guard answer.isSuccess else {
      throw ChappieAuthError.deviceCodeRequestFailed(status: answer.status, message: answer.errorMessage)
    }
    guard let deviceAuthID = answer.text("device_auth_id"),
      let userCode = answer.text("user_code") ?? answer.text("usercode"), Self.isShowable(userCode)
    else { throw ChappieAuthError.invalidResponse("there is no code in it") }
    return (deviceAuthID, userCode, Self.interval(answer.text("interval")))
  }

  private var clientID: ChappieJSONValue { .string(configuration.clientID) }

  /// Parses the poll interval, in seconds. The server sends a string. A missing or invalid one gives the default.
  static func interval(_ text: String?) -> Double {
    guard let text, let seconds = Double(text), seconds.isFinite, seconds > 0 else { return defaultInterval }
    return min(max(seconds, 0.05), 60)
  }

  /// Whether `code` is safe to show on a terminal or a panel: letters, digits and dashes only.
  static func isShowable(_ code: String) -> Bool {
    (1...64).contains(code.utf8.count) && code.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
  }

  private func poll(
    _ code: Code, until deadline: Timestamp
  ) async throws -> (code: SecretBytes, verifier: SecretBytes) {
    let url = "\(configuration.issuer)/api/accounts/deviceauth/token"
    let question: ChappieJSONValue = [
      "device_auth_id": .string(code.deviceAuthID), "user_code": .string(code.userCode),
    ]
    while .now < deadline {
      let answer: AuthHTTP.Response
      do {
        answer = try await http.post(url, .bytes(question.encoded), "application/json")
      } catch ChappieAuthError.network {
        // The code is on the screen, and counts also after a change of networks or a sleep.
        try await sleep(for: .seconds(code.interval))
        continue
      }
      switch answer.status {
      case 200..<300:
        guard let code = answer.token("authorization_code"), let verifier = answer.token("code_verifier") else {
          throw ChappieAuthError.invalidResponse("there is no authorization code in it")
        }
        TokensAtHand.note(code)
        TokensAtHand.note(verifier)
        return (code, verifier)
      case 403, 404: try await sleep(for: .seconds(code.interval))
      default:
        switch answer.errorCode {
        case "access_denied", "authorization_declined": throw ChappieAuthError.declined
        case "expired_token": throw ChappieAuthError.expired
        default: throw answer.refusedExchange
        }
      }
    }
    throw ChappieAuthError.expired
  }

  /// Exchanges an authorization code for tokens.
  private func exchange(code: SecretBytes, verifier: SecretBytes) async throws -> AuthHTTP.Response {
    let answer = try await http.post(
      "\(configuration.issuer)/oauth/token",
      .secret(
        SecretLine.form(
          [
            "grant_type": "authorization_code", "client_id": configuration.clientID,
            "redirect_uri": "\(configuration.issuer)/deviceauth/callback",
          ], ["code": code, "code_verifier": verifier])))
    guard answer.isSuccess else { throw answer.refusedExchange }
    return answer
  }

  /// - Parameter old: the credential that the answer renews. A token that is missing from the answer stays as it is.
  private func credential(_ answer: AuthHTTP.Response, renewing old: Credential? = nil) throws -> Credential {
    let access = answer.token("access_token")
    let refresh = answer.token("refresh_token")
    let id = answer.token("id_token")
    if access.flatMap(TokenClaims.init)?.hasDamagedExpiry == true {
      Log.notice("The sign-in server's access token names a time of expiry that is none.")
    }
    guard old != nil || refresh != nil && id != nil, access != nil || refresh != nil,
      let token = access ?? old?.accessToken
    else {
      throw ChappieAuthError.invalidResponse(
        old == nil ? "a token is missing or too long" : "the access token is missing or too long")
    }
    return Credential(
      method: kind.rawValue, servers: servers, accessToken: token, refreshToken: refresh ?? old?.refreshToken,
      idToken: id ?? old?.idToken, renewedAt: answer.time, issuerReading: answer.reading)
  }

  // MARK: Keeping and ending

  /// An error about the request or the client ends no sign-in, because a new token would not fix it; nor does a status
  /// alone, because any proxy can give it.
  func refresh(_ credential: Credential) async throws -> Credential {
    guard let token = credential.refreshToken else { throw ChappieAuthError.missingRefreshToken }
    let body = try SecretLine.json(
      ["client_id": clientID, "grant_type": "refresh_token"], ["refresh_token": token])
    let answer = try await http.post("\(configuration.issuer)/oauth/token", .secret(body), "application/json")
    guard answer.isSuccess else {
      throw [400, 401, 403].contains(answer.status) && answer.endsRefreshToken
        ? answer.refusedExchange : answer.failedRenewal
    }
    return try self.credential(answer, renewing: credential)
  }

  func revoke(_ credential: Credential) async throws {
    var members: [String: ChappieJSONValue] = ["token_type_hint": "access_token"]
    if credential.refreshToken != nil { members = ["token_type_hint": "refresh_token", "client_id": clientID] }
    let body = try SecretLine.json(members, ["token": credential.refreshToken ?? credential.accessToken])
    // The caller of a sign-out waits this long at most.
    try await ChappieAuthError.revoking(atMost: .seconds(10)) {
      let answer = try await http.post("\(configuration.issuer)/oauth/revoke", .secret(body), "application/json")
      guard answer.isSuccess else {
        throw ChappieAuthError.revocationFailed("it answered with status \(answer.status)")
      }
    }
  }

  nonisolated func facts(of credential: Credential) -> CredentialFacts { credential.claimedFacts }

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
}
