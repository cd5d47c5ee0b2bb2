// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform
import SecretMemory

/// Sends requests to one issuer. Answers may hold tokens, so guarded memory receives them.
@GLibActor
final class AuthHTTP {
  struct Response: Sendable {
    let status: Int
    let body: SecretBytes
    /// The issuer's time, as far as it is known.
    let time: Timestamp
    /// The last time that the issuer has told.
    let reading: IssuerReading?

    var isSuccess: Bool { (200..<300).contains(status) }
    /// Whether it says that whoever has its access token may use it.
    var isBearer: Bool { text("token_type")?.lowercased() == "bearer" }

    /// A member that is a token. Nil when it is missing or too long.
    func token(_ key: StaticString) -> SecretBytes? { body.withSpan { CredentialCoding.string(key, $0) } }

    /// A member that is a text or a number, and no secret.
    func text(_ key: StaticString) -> String? { body.withSpan { CredentialCoding.text(key, $0) } }

    /// The server's error code: `error.code`, `error` or `code`.
    var errorCode: String? {
      body.withSpan { json in
        if let error = JSONScanner.value(of: "error", in: json) {
          if let content = JSONScanner.stringContent(json, error) { return JSONText.decode(json, content) }
          return CredentialCoding.text("code", json.extracting(error))
        }
        return CredentialCoding.text("code", json)
      }
    }

    /// Whether the error code says that the refresh token is of no use any more.
    var endsRefreshToken: Bool {
      errorCode.map { Self.endOfRefreshToken.contains($0.lowercased()) } ?? false
    }

    private static let endOfRefreshToken: Set<String> = [
      "invalid_grant", "invalid_refresh_token", "token_expired", "refresh_token_expired", "refresh_token_reused",
      "refresh_token_invalidated",
    ]

    /// Whether the error is that the server does not know the client.
    var refusesClient: Bool { errorCode.map(AuthHTTP.clientErrors.contains) ?? false }

    /// The server's message, shortened, without anything that could be a token.
    var errorMessage: String {
      body.withSpan { json in
        let error = JSONScanner.value(of: "error", in: json)
        let message =
          CredentialCoding.text("error_description", json)
          ?? error.flatMap { CredentialCoding.text("message", json.extracting($0)) }
          ?? errorCode ?? ""
        return Redaction.message(message)
      }
    }

    var refusedExchange: ChappieAuthError { .tokenExchangeFailed(status: status, message: errorMessage) }

    /// The error of a renewal that may succeed later.
    var failedRenewal: ChappieAuthError {
      .renewalFailed(status: status, message: errorCode == nil ? "no OAuth error is in it" : errorMessage)
    }
  }

  /// The errors of OAuth for a client that the server does not know, or not any more.
  nonisolated static let clientErrors: Set<String> = ["invalid_client", "unauthorized_client"]

  private static let deadline = Duration.seconds(30)
  /// Ends an answer whose pieces arrive too slowly to finish and too often for the idle limit.
  private static let totalDeadline = Duration.seconds(60)
  /// That of a description, which is small and asked for before each thing of worth.
  private static let descriptionDeadline = Duration.seconds(15)
  private static let answerLimit = 1 << 20

  /// The issuer's clock, as its answers tell it.
  let clock: IssuerClock
  private let session: HTTPSession
  /// The name of the application that asks, for the issuer.
  private let originator: String

  init(
    _ session: HTTPSession = HTTPSession(userAgent: "chappie/\(ChappieVersion.current)", maxConnections: 8),
    _ clock: IssuerClock = IssuerClock(), _ originator: String = ChappieApplicationID.ownOriginator
  ) {
    self.session = session
    self.clock = clock
    self.originator = originator
  }

  /// The same connections, for another application.
  func asking(for originator: String) -> AuthHTTP { AuthHTTP(session, clock, originator) }

  /// - Parameter isFresh: whether no cache may answer. Only then the answer tells the time.
  /// - Throws: ``ChappieAuthError/network(_:)``, `CancellationError`.
  func get(_ url: String, isFresh: Bool = false) async throws -> Response {
    var request = HTTPRequest(.get, url)
    if isFresh { request.setHeader("cache-control", "no-cache") }
    request.setHeader("accept", "application/json")
    return try await send(request, tellsTime: isFresh, Self.descriptionDeadline)
  }

  /// - Parameters:
  ///   - contentType: the type of a form, unless `body` is another one.
  ///   - willSend: called when the connection stands, before the first byte of the request leaves.
  /// - Throws: ``ChappieAuthError/network(_:)``, `CancellationError`.
  func post(
    _ url: String, _ body: HTTPRequest.Body, _ contentType: String = "application/x-www-form-urlencoded",
    willSend: (@GLibActor @Sendable () -> Void)? = nil
  ) async throws -> Response {
    var request = HTTPRequest(.post, url)
    request.body = body
    request.contentType = contentType
    request.willSend = willSend
    request.setHeader("accept", "*/*")
    return try await send(request, tellsTime: true, Self.totalDeadline)
  }

  private func send(_ request: HTTPRequest, tellsTime: Bool, _ totalDeadline: Duration) async throws -> Response {
    var request = request
    request.setHeader("originator", originator)
    do {
      return try await withDeadline(totalDeadline) { [session, clock, request] in
        let response = try await session.sendLogged(request, deadline: Self.deadline)
        let body = try await response.secret(limit: Self.answerLimit, deadline: Self.deadline)
        // An answer that is no success may be a proxy's.
        if tellsTime, (200..<300).contains(response.status) { clock.note(Self.time(response.headers)) }
        return Response(status: response.status, body: body, time: clock.time().earliest, reading: clock.reading)
      }
    } catch let error as GLibError {
      throw ChappieAuthError.network(error.message.withoutFullStop)
    }
  }

  /// The time of an answer, which a cache may have given all the same (RFC 9111, section 4.2.3).
  private static func time(_ headers: HTTPHeaders) -> Timestamp? {
    let age = headers["age"].flatMap { Count(text: $0) } ?? 0
    return headers["date"].flatMap(HTTPDate.unixSeconds).flatMap { Timestamp($0) }.map { $0 + Int64(age.value) }
  }
}

extension Credential {
  /// The credential with which a sign-in is ended that is not known to be of use.
  ///
  /// - Throws: ``ChappieAuthError/invalidResponse(_:)`` for an answer without any token.
  init(
    revocableIn answer: AuthHTTP.Response, method: ChappieSignInMethod, _ servers: CredentialServers
  ) throws(ChappieAuthError) {
    guard let token = answer.token("refresh_token") ?? answer.token("access_token") else {
      throw .invalidResponse("a token is missing or too long")
    }
    self.init(
      method: method.rawValue, servers: servers, accessToken: token, refreshToken: token, idToken: nil,
      renewedAt: answer.time, issuerReading: answer.reading)
  }
}

extension ChappieAuthError {
  /// Runs a revocation. Its failures are ``revocationFailed(_:)``.
  @GLibActor
  static func revoking(atMost deadline: Duration, _ body: @escaping @GLibActor @Sendable () async throws -> Void)
    async throws
  {
    do {
      try await withDeadline(deadline, body)
    } catch let error as GLibError where error.isTimeout {
      throw revocationFailed("it did not answer in time")
    } catch network(let reason) {
      throw revocationFailed("it was not reached: \(reason)")
    } catch invalidResponse(let reason) {
      throw revocationFailed(reason)
    }
  }
}
