// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The token endpoint: exchange, refresh, revocation.
extension BrowserSignIn {
  /// Exchanges an authorization code. A code is sent once.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func exchange(
    _ code: SecretBytes, of request: AuthorizationRequest, clientID: String
  ) async throws -> AuthHTTP.Response {
    let form = SecretLine.form(
      [
        "grant_type": "authorization_code", "client_id": clientID, "resource": request.resource,
        "redirect_uri": request.redirectURI,
      ], ["code_verifier": request.verifier, "code": code])
    let answer = try await http.post(try await issuer.addresses().token, .secret(form))
    guard answer.isSuccess else {
      throw answer.refusesClient ? ChappieAuthError.applicationRemoved : answer.refusedExchange
    }
    return answer
  }

  /// Refreshes tokens.
  ///
  /// - Throws: ``ChappieAuthError``, ``RedemptionLost``, `CancellationError`.
  func redeem(_ token: SecretBytes, _ grant: RegisteredGrant) async throws -> Credential {
    let address = try await issuer.addresses().token
    let form = SecretLine.form(
      ["grant_type": "refresh_token", "client_id": grant.clientID, "resource": configuration.apiURL],
      ["refresh_token": token])
    let sending = Promise<Void>()
    let answer: AuthHTTP.Response
    do {
      answer = try await http.post(address, .secret(form)) { sending.fulfil(()) }
    } catch {
      let error = error as? ChappieAuthError ?? .network("the request was given up")
      throw sending.isFulfilled ? RedemptionLost(error: error) : error
    }
    guard answer.isSuccess else { throw Self.failure(answer) }
    // What is wrong with the rest of the answer costs less than the sign-in: these tokens replace the old ones.
    do {
      let renewed = try Credential(answer, servers, grant)
      if !answer.isBearer { Log.notice("The sign-in server renewed the tokens with some of another type.") }
      return renewed
    } catch {
      throw RedemptionLost(error: error)
    }
  }

  /// An answer with an OAuth error tells what became of the token. Another one may come from a server in between, and
  /// only some of its statuses tell that the issuer has not seen the request.
  private static func failure(_ answer: AuthHTTP.Response) -> any Error {
    if answer.endsRefreshToken { return ChappieAuthError.ended(answer.errorCode ?? "") }
    if answer.refusesClient { return ChappieAuthError.applicationRemoved }
    let isTold = answer.errorCode != nil || (300..<500).contains(answer.status) || answer.status == 503
    return isTold ? answer.failedRenewal : RedemptionLost(error: answer.failedRenewal)
  }

  // MARK: Revocation

  private static let tries = 3
  /// The pause before the second try. Each further one is twice as long.
  private static let pause = Duration.milliseconds(400)
  /// The longest wait for all tries.
  private static let deadline = Duration.seconds(9)

  func revoke(_ credential: Credential) async throws {
    guard let grant = credential.registration else { return }
    guard let token = credential.refreshToken else {
      // The server has ended a sign-in without one, unless its last answer was lost.
      guard credential.redeemedAt != nil else { return }
      throw ChappieAuthError.revocationFailed("there is no token to revoke it with")
    }
    try await ChappieAuthError.revoking(atMost: Self.deadline) { [self] in
      guard let address = try await issuer.addresses().revocation else {
        throw ChappieAuthError.revocationFailed("it offers no revocation")
      }
      let form = SecretLine.form(
        ["token_type_hint": "refresh_token", "client_id": grant.clientID], ["token": token])
      for attempt in 1... {
        do {
          let answer = try await http.post(address, .secret(form))
          if answer.isSuccess { return }
          let error = ChappieAuthError.revocationFailed("it answered with status \(answer.status)")
          guard (500..<600).contains(answer.status), attempt < Self.tries else { throw error }
        } catch ChappieAuthError.network(let reason) {
          guard attempt < Self.tries else { throw ChappieAuthError.network(reason) }
        }
        try await sleep(for: Self.pause * (1 << (attempt - 1)))
      }
    }
  }
}

extension Credential {
  /// The lifetime of tokens whose answer names none, in seconds. It is the one that the issuer documents.
  private static let usualLifetime: Count = 3600
  /// The longest lifetime that is believed, in seconds.
  private static let longestLifetime: Count = 31_622_400
  /// A number above this one counts milliseconds: in seconds it would be in the year 5138.
  private static let milliseconds: Double = 100_000_000_000

  /// The tokens in an answer of the token endpoint.
  ///
  /// - Parameter grant: has what the answer does not tell.
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for an answer without an access token.
  init(_ answer: AuthHTTP.Response, _ servers: CredentialServers, _ grant: RegisteredGrant) throws(ChappieAuthError) {
    guard let access = answer.token("access_token") else {
      throw .invalidResponse("the access token is missing or too long")
    }
    self.init(
      method: ChappieSignInMethod.browser.rawValue, servers: servers, accessToken: access,
      refreshToken: answer.token("refresh_token"), idToken: answer.token("id_token"), renewedAt: answer.time,
      issuerReading: answer.reading)
    let scopes = answer.text("scope").map { $0.split(separator: " ").map(String.init) }
    let lifetime = answer.text("expires_in").flatMap(Double.init).flatMap { Count($0) }
      .flatMap { (1...Self.longestLifetime).contains($0) ? $0 : nil }
    if lifetime == nil { Log.notice("The sign-in server names no lifetime of its tokens, and an hour is assumed.") }
    let earliest = answer.text("earliest_refresh_at")
    let earliestRefresh = earliest.flatMap(Self.time)
    if earliest != nil, earliestRefresh == nil {
      Log.notice("The sign-in server names a time for the next renewal that is none.")
    }
    registration = RegisteredGrant(
      clientID: grant.clientID, subject: grant.subject, scopes: scopes ?? grant.scopes,
      expiresAt: answer.time + Int64((lifetime ?? Self.usualLifetime).value), earliestRefresh: earliestRefresh)
  }

  /// Reads a time in Unix seconds or in the form of ISO 8601. The issuer documents neither.
  private static func time(_ text: String) -> Timestamp? {
    guard let number = Double(text) else { return Timestamp(iso8601: text) }
    return Timestamp((number > milliseconds ? number / 1000 : number).rounded(.up))
  }
}
