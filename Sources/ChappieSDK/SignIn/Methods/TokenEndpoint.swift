// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import SecretMemory

/// The issuer's token endpoint: exchange, refresh, revocation.
struct TokenEndpoint: Sendable {
  let issuer: String
  let clientID: String
  let http: AuthHTTP

  /// Exchanges an authorization code for tokens.
  ///
  /// - Throws: ``ChappieAuthError``.
  func exchange(code: SecretBytes, verifier: SecretBytes, redirectURI: String) async throws -> AuthHTTP.Response {
    var form = SecretLine()
    form.append("grant_type=authorization_code&client_id=\(FormCoding.escape(clientID))&code=")
    form.append(FormCoding.escape(code))
    form.append("&redirect_uri=\(FormCoding.escape(redirectURI))&code_verifier=")
    form.append(FormCoding.escape(verifier))
    let answer = try await http.post("\(issuer)/oauth/token", form: form.joined())
    guard answer.isSuccess else {
      throw ChappieAuthError.tokenExchangeFailed(status: answer.status, message: answer.errorMessage)
    }
    return answer
  }

  /// The credential of an exchange.
  ///
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)``.
  func credential(_ answer: AuthHTTP.Response, method: String, servers: CredentialServers) throws -> Credential {
    let tokens = Tokens(answer.body)
    guard let access = tokens.access, let refresh = tokens.refresh, let id = tokens.id else {
      throw ChappieAuthError.invalidResponse("a token is missing or too long")
    }
    return Credential(
      method: method, servers: servers, accessToken: access, refreshToken: refresh, idToken: id,
      renewedAt: answer.time, issuerReading: answer.reading)
  }

  /// Refreshes the tokens. A token missing from the answer stays as it is.
  ///
  /// - Throws: ``ChappieAuthError``.
  func refresh(_ credential: Credential) async throws -> Credential {
    guard let refreshToken = credential.refreshToken else { throw ChappieAuthError.missingRefreshToken }
    var body = SecretLine()
    body.append("{\"client_id\":\(quotedClientID),\"grant_type\":\"refresh_token\"")
    try body.append(token: refreshToken, key: "refresh_token")
    body.append("}")
    let answer = try await http.post("\(issuer)/oauth/token", secretJSON: body.joined())
    guard answer.isSuccess else { throw Self.renewalFailure(answer) }
    let tokens = Tokens(answer.body)
    guard tokens.access != nil || tokens.refresh != nil else {
      throw ChappieAuthError.invalidResponse("the access token is missing or too long")
    }
    return Credential(
      method: credential.method, servers: credential.servers, accessToken: tokens.access ?? credential.accessToken,
      refreshToken: tokens.refresh ?? refreshToken,
      idToken: tokens.id ?? credential.idToken, renewedAt: answer.time, issuerReading: answer.reading)
  }

  private static func renewalFailure(_ answer: AuthHTTP.Response) -> ChappieAuthError {
    if answer.refusesRefreshToken {
      return .tokenExchangeFailed(status: answer.status, message: answer.errorMessage)
    }
    let reason = answer.errorCode == nil ? "no OAuth error is in it" : answer.errorMessage
    return .renewalFailed(status: answer.status, message: reason)
  }

  private var quotedClientID: String {
    ChappieJSONValue.string(clientID).json
  }

  /// The longest wait for a revocation. The caller of a sign-out waits this long at most.
  private static let revocationDeadline = Duration.seconds(10)

  /// Asks the server to revoke the tokens.
  ///
  /// - Throws: ``ChappieAuthError/revocationFailed(_:)``, `CancellationError`.
  func revoke(_ credential: Credential) async throws {
    var body = SecretLine()
    body.append("{\"token_type_hint\":\"")
    if credential.refreshToken != nil {
      body.append("refresh_token\",\"client_id\":\(quotedClientID)")
    } else {
      body.append("access_token\"")
    }
    let answer: AuthHTTP.Response
    do {
      try body.append(token: credential.refreshToken ?? credential.accessToken, key: "token")
      body.append("}")
      let whole = body.joined()
      answer = try await withDeadline(Self.revocationDeadline) { [http, issuer] in
        try await http.post("\(issuer)/oauth/revoke", secretJSON: whole)
      }
    } catch ChappieAuthError.network(let reason) {
      throw ChappieAuthError.revocationFailed("it was not reached: \(reason)")
    } catch let error as GLibError where error.isTimeout {
      throw ChappieAuthError.revocationFailed("it did not answer in time")
    }
    guard answer.isSuccess else {
      throw ChappieAuthError.revocationFailed("it answered with status \(answer.status)")
    }
  }

  private struct Tokens {
    let access: SecretBytes?
    let refresh: SecretBytes?
    let id: SecretBytes?

    init(_ body: SecretBytes) {
      (access, refresh, id) = body.withSpan { json in
        (
          CredentialCoding.string("access_token", json), CredentialCoding.string("refresh_token", json),
          CredentialCoding.string("id_token", json)
        )
      }
      if access.flatMap(TokenClaims.init)?.hasDamagedExpiry == true {
        Log.notice("The sign-in server's access token names a time of expiry that is none.")
      }
    }
  }
}

/// `application/x-www-form-urlencoded`.
package enum FormCoding {
  package static func escape(_ text: String) -> String {
    String(decoding: text.utf8.flatMap(escape), as: UTF8.self)
  }

  static func escape(_ secret: SecretBytes) -> SecretBytes {
    secret.withBytes { SecretBytes($0.flatMap(escape)) }
  }

  private static func escape(_ byte: UInt8) -> [UInt8] {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      [byte]
    default:
      [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)]
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
