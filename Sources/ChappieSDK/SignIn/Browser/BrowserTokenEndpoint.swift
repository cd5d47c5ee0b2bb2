// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// The token endpoint for sign-ins in the browser: exchange, refresh, revocation.
@GLibActor
struct BrowserTokenEndpoint: Sendable {
  let issuer: BrowserIssuer
  /// The API that the tokens are for.
  let resource: String
  let http: AuthHTTP

  /// Exchanges an authorization code. A code is sent once.
  ///
  /// - Throws: ``ChappieAuthError``, `CancellationError`.
  func exchange(
    _ code: SecretBytes, of request: AuthorizationRequest, clientID: String
  ) async throws -> AuthHTTP.Response {
    var form = form("authorization_code", clientID)
    form.append("&redirect_uri=\(FormCoding.escape(request.redirectURI))&code_verifier=")
    form.append(request.verifier)
    form.append("&code=")
    form.append(FormCoding.escape(code))
    let answer = try await http.post(try await issuer.addresses().token, form: form.joined())
    guard answer.isSuccess else {
      if answer.refusesClient { throw ChappieAuthError.applicationRemoved }
      throw ChappieAuthError.tokenExchangeFailed(status: answer.status, message: answer.errorMessage)
    }
    return answer
  }

  /// Refreshes tokens.
  ///
  /// - Throws: ``ChappieAuthError``, ``RedemptionLost``, `CancellationError`.
  func refresh(_ token: SecretBytes, clientID: String) async throws -> TokenAnswer {
    let address = try await issuer.addresses().token
    var form = form("refresh_token", clientID)
    form.append("&refresh_token=")
    form.append(FormCoding.escape(token))
    let sending = Sending()
    let answer: AuthHTTP.Response
    do {
      answer = try await http.post(address, form: form.joined()) { sending.hasBegun = true }
    } catch {
      let error = error as? ChappieAuthError ?? .network("the request was given up")
      throw sending.hasBegun ? RedemptionLost(error: error) : error
    }
    guard answer.isSuccess else { throw Self.failure(answer) }
    // What is wrong with the rest of the answer costs less than the sign-in: these tokens replace the old ones.
    do {
      let tokens = try TokenAnswer(answer)
      if !tokens.isBearer { Log.notice("The sign-in server renewed the tokens with some of another type.") }
      return tokens
    } catch {
      throw RedemptionLost(error: error)
    }
  }

  @GLibActor
  private final class Sending {
    var hasBegun = false
  }

  /// An answer with an OAuth error tells what became of the token. Another one may come from a server in between, and
  /// only some of its statuses tell that the issuer has not seen the request.
  private static func failure(_ answer: AuthHTTP.Response) -> any Error {
    if answer.endsRefreshToken { return ChappieAuthError.ended(answer.errorCode ?? "") }
    if answer.refusesClient { return ChappieAuthError.applicationRemoved }
    let error = ChappieAuthError.renewalFailed(
      status: answer.status, message: answer.errorCode == nil ? "no OAuth error is in it" : answer.errorMessage)
    let isTold = answer.errorCode != nil || (300..<500).contains(answer.status) || answer.status == 503
    return isTold ? error : RedemptionLost(error: error)
  }

  // MARK: Revocation

  private static let tries = 3
  /// The pause before the second try. Each further one is twice as long.
  private static let pause = Duration.milliseconds(400)
  /// The longest wait for all tries.
  private static let deadline = Duration.seconds(9)

  /// Ends a sign-in at the issuer.
  ///
  /// - Throws: ``ChappieAuthError/revocationFailed(_:)``, `CancellationError`.
  func revoke(_ token: SecretBytes, clientID: String) async throws {
    do {
      try await withDeadline(Self.deadline) { [self] in try await revokeWithRetries(token, clientID) }
    } catch let error as GLibError where error.isTimeout {
      throw ChappieAuthError.revocationFailed("it did not answer in time")
    } catch ChappieAuthError.network(let reason) {
      throw ChappieAuthError.revocationFailed("it was not reached: \(reason)")
    } catch ChappieAuthError.invalidResponse(let reason) {
      throw ChappieAuthError.revocationFailed(reason)
    }
  }

  private func revokeWithRetries(_ token: SecretBytes, _ clientID: String) async throws {
    guard let address = try await issuer.addresses().revocation else {
      throw ChappieAuthError.revocationFailed("it offers no revocation")
    }
    var form = SecretLine()
    form.append("token_type_hint=refresh_token&client_id=\(FormCoding.escape(clientID))&token=")
    form.append(FormCoding.escape(token))
    let body = form.joined()
    for attempt in 1... {
      do {
        let answer = try await http.post(address, form: body)
        if answer.isSuccess { return }
        let error = ChappieAuthError.revocationFailed("it answered with status \(answer.status)")
        guard (500..<600).contains(answer.status), attempt < Self.tries else { throw error }
      } catch ChappieAuthError.network(let reason) {
        guard attempt < Self.tries else { throw ChappieAuthError.network(reason) }
      }
      try await sleep(for: Self.pause * (1 << (attempt - 1)))
    }
  }

  private func form(_ grantType: String, _ clientID: String) -> SecretLine {
    var form = SecretLine()
    form.append("grant_type=\(grantType)&client_id=\(FormCoding.escape(clientID))")
    form.append("&resource=\(FormCoding.escape(resource))")
    return form
  }
}

/// The tokens in an answer of the token endpoint.
struct TokenAnswer: Sendable {
  /// The lifetime of tokens whose answer names none, in seconds. It is the one that the issuer documents.
  private static let usualLifetime: Count = 3600
  /// The longest lifetime that is believed, in seconds.
  private static let longestLifetime: Count = 31_622_400
  /// A number above this one counts milliseconds: in seconds it would be in the year 5138.
  private static let milliseconds: Double = 100_000_000_000

  let accessToken: SecretBytes
  let refreshToken: SecretBytes?
  let idToken: SecretBytes?
  let isBearer: Bool
  /// The granted scopes. Nil when the answer does not tell.
  let scopes: [String]?
  /// The issuer's time of the answer.
  let time: Timestamp
  let reading: IssuerReading?
  /// By the issuer's clock.
  let expiresAt: Timestamp
  /// By the issuer's clock. Nil when the answer does not tell.
  let earliestRefresh: Timestamp?

  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for an answer without an access token.
  init(_ answer: AuthHTTP.Response) throws(ChappieAuthError) {
    let fields = answer.body.withSpan { json in
      (
        access: CredentialCoding.string("access_token", json), refresh: CredentialCoding.string("refresh_token", json),
        id: CredentialCoding.string("id_token", json), type: CredentialCoding.text("token_type", json),
        lifetime: CredentialCoding.text("expires_in", json).flatMap(Double.init).flatMap { Count($0) },
        scope: CredentialCoding.text("scope", json), earliest: CredentialCoding.text("earliest_refresh_at", json)
      )
    }
    guard let access = fields.access else { throw .invalidResponse("the access token is missing or too long") }
    for token in [access, fields.refresh, fields.id] { token.map(TokensAtHand.note) }
    accessToken = access
    refreshToken = fields.refresh
    idToken = fields.id
    isBearer = fields.type?.lowercased() == "bearer"
    scopes = fields.scope.map { $0.split(separator: " ").map(String.init) }
    time = answer.time
    reading = answer.reading
    let lifetime = fields.lifetime.flatMap { (1...Self.longestLifetime).contains($0) ? $0 : nil }
    if lifetime == nil { Log.notice("The sign-in server names no lifetime of its tokens, and an hour is assumed.") }
    expiresAt = answer.time + Int64((lifetime ?? Self.usualLifetime).value)
    earliestRefresh = fields.earliest.flatMap(Self.time)
    if fields.earliest != nil, earliestRefresh == nil {
      Log.notice("The sign-in server names a time for the next renewal that is none.")
    }
  }

  /// Reads a time in Unix seconds or in the form of ISO 8601. The issuer documents neither.
  private static func time(_ text: String) -> Timestamp? {
    guard let number = Double(text) else { return Timestamp(iso8601: text) }
    return Timestamp((number > milliseconds ? number / 1000 : number).rounded(.up))
  }
}
