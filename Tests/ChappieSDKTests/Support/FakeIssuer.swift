// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer

@testable import ChappieSDK

/// A sign-in server in this process that answers from a script (protocol.md, section 1).
@GLibActor
final class FakeIssuer {
  struct Response: Sendable {
    var status = 200
    var body = ""

    /// The connection ends instead.
    static let dropped = Response(status: 0)
  }

  /// The requests so far.
  @GLibActor
  private final class Log {
    var requests: [HTTPServerRequest] = []
  }

  private let log = Log()
  private let server: HTTPServer

  /// - Parameter polls: the answers to the polls in order; the last one repeats.
  init(
    code: Response = FakeIssuer.code, polls: [Response] = [FakeIssuer.approval], tokens: Response = FakeIssuer.tokens
  ) throws {
    let answers = [
      FakeIssuer.codePath: [code], FakeIssuer.pollPath: polls, FakeIssuer.tokenPath: [tokens],
      FakeIssuer.revokePath: [tokens],
    ]
    server = try HTTPServer { [log] request in
      let seen = log.requests.count { $0.path == request.path }
      log.requests.append(request)
      guard let answers = answers[request.path] else { return .whole(HTTPServerResponse(status: 500)) }
      let answer = answers[min(seen, answers.count - 1)]
      guard answer.status != 0 else { return .drop }
      return .whole(HTTPServerResponse(status: answer.status, type: "application/json", answer.body))
    }
  }

  var requests: [HTTPServerRequest] { log.requests }

  /// A sign-in method for this server.
  func method() throws -> DeviceCodeSignIn {
    let base = "http://127.0.0.1:\(server.port)"
    return DeviceCodeSignIn(try ChappieBackend(issuer: base, baseURL: base + "/api"), http: AuthHTTP())
  }

  static let codePath = "/api/accounts/deviceauth/usercode"
  static let pollPath = "/api/accounts/deviceauth/token"
  static let tokenPath = "/oauth/token"
  static let revokePath = "/oauth/revoke"

  static let code = Response(body: "{\"device_auth_id\":\"da\",\"user_code\":\"ABCD-12345\",\"interval\":\"0.05\"}")
  static let approval = Response(
    body: "{\"authorization_code\":\"a-code/+\",\"code_challenge\":\"c\",\"code_verifier\":\"verifier\"}")
  static let tokens = Response(
    body: "{\"id_token\":\"a.b.c\",\"access_token\":\"access\",\"refresh_token\":\"rt-1\"}")
}
