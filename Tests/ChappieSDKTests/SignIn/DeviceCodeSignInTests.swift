// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import HTTPTestServer
import Testing

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(1)))
@GLibActor
struct DeviceCodeSignInTests {
  private typealias Response = FakeIssuer.Response

  // MARK: Success

  @Test func signInGivesACredential() async throws {
    let issuer = try FakeIssuer([
      FakeIssuer.codePath: [FakeIssuer.code],
      FakeIssuer.pollPath: [Response(status: 403, body: "{}"), Response(status: 404), FakeIssuer.approval],
      FakeIssuer.tokenPath: [FakeIssuer.tokens],
    ])
    let method = try issuer.method()
    var stages: [SignInProgress] = []
    let credential = try await method.signIn(.plain) { stages.append($0) }
    #expect(credential.method == "device-code")
    #expect(credential.accessToken.text == "access")
    #expect(credential.refreshToken?.text == "rt-1")
    #expect(credential.idToken?.text == "a.b.c")
    let polls = Array(repeating: FakeIssuer.pollPath, count: 3)
    #expect(issuer.requests.map(\.path) == [FakeIssuer.codePath] + polls + [FakeIssuer.tokenPath])
    guard case .preparing = stages.first, case .exchanging = stages.last, stages.count == 3,
      case .waiting(.showCode(let code)) = stages[1]
    else {
      Issue.record("other stages: \(stages)")
      return
    }
    #expect(code.userCode == "ABCD-12345")
    #expect(code.verificationAddress == method.servers.issuer + "/codex/device")
  }

  /// What was issued can be ended, whatever else the answer lacks.
  @Test(arguments: [
    #"{"access_token":"access","refresh_token":"rt-1","id_token":"a.b.c"}"#, #"{"refresh_token":"rt-1"}"#,
    #"{"access_token":"rt-1","id_token":5}"#,
  ])
  func whatWasIssuedIsKeptAtOnce(_ tokens: String) async throws {
    let issuer = try FakeIssuer([
      FakeIssuer.codePath: [FakeIssuer.code], FakeIssuer.pollPath: [FakeIssuer.approval],
      FakeIssuer.tokenPath: [Response(body: tokens)],
    ])
    let custody = FakeCustody()
    _ = try? await issuer.method().signIn(.keeping(custody)) { _ in }
    #expect(custody.kept.map(\.refreshToken?.text) == ["rt-1"])
  }

  @Test func sendsTheRequiredBodiesAndHeaders() async throws {
    let issuer = try FakeIssuer([
      FakeIssuer.codePath: [FakeIssuer.code], FakeIssuer.pollPath: [FakeIssuer.approval],
      FakeIssuer.tokenPath: [FakeIssuer.tokens],
    ])
    let method = try issuer.method()
    _ = try await method.signIn(.plain) { _ in }
    let bodies = issuer.requests.map(\.body)
    #expect(try ChappieJSONValue(foundation: bodies[0]) == ["client_id": .string(ChappieBackend.productionClientID)])
    #expect(try ChappieJSONValue(foundation: bodies[1]) == ["device_auth_id": "da", "user_code": "ABCD-12345"])
    for request in issuer.requests {
      #expect(request.method == "POST")
      #expect(request.headers["originator"] == "chappie")
      #expect(request.headers["user-agent"] == "chappie/\(ChappieVersion.current)")
    }
  }

  @Test(arguments: [
    "{\"device_auth_id\":\"da\",\"usercode\":\"ABCD\"}",
    "{\"device_auth_id\":\"da\",\"user_code\":\"ABCD\",\"interval\":5}",
    "{\"device_auth_id\":\"da\",\"user_code\":\"ABCD\",\"interval\":null,\"more\":[]}",
  ])
  func acceptsOtherFormsOfTheCode(_ body: String) async throws {
    let issuer = try FakeIssuer([
      FakeIssuer.codePath: [Response(body: body)], FakeIssuer.pollPath: [FakeIssuer.approval],
      FakeIssuer.tokenPath: [FakeIssuer.tokens],
    ])
    #expect(try await issuer.method().signIn(.plain) { _ in }.accessToken.text == "access")
  }

  // MARK: Failure

  private func failure(_ answers: [String: [Response]]) async throws -> ChappieAuthError? {
    let issuer = try FakeIssuer(answers)
    return await #expect(throws: ChappieAuthError.self) { try await issuer.method().signIn(.plain) { _ in } }
  }

  @Test func reportsAServerWithoutDeviceCodes() async throws {
    let error = try await failure([FakeIssuer.codePath: [Response(status: 404)]])
    #expect(error == .deviceCodeRequestFailed(status: 404, message: ""))
  }

  @Test(arguments: [
    "", "{}", "null", "{\"device_auth_id\":\"da\"}", "{\"user_code\":\"ABCD\"}",
    "{\"device_auth_id\":\"da\",\"user_code\":\"\"}", "{\"device_auth_id\":\"da\",\"user_code\":\"A\\u001b[2J\"}",
  ])
  func refusesAnAnswerWithoutAShowableCode(_ body: String) async throws {
    let error = try await failure([FakeIssuer.codePath: [Response(body: body)]])
    #expect(error == .invalidResponse("there is no code in it"))
  }

  @Test(arguments: [
    (400, "{\"error\":\"access_denied\"}", ChappieAuthError.declined),
    (400, "{\"error\":{\"code\":\"authorization_declined\"}}", .declined),
    (400, "{\"error\":\"expired_token\"}", .expired),
    (429, "{\"error\":{\"message\":\"too fast\"}}", .tokenExchangeFailed(status: 429, message: "too fast")),
    (500, "", .tokenExchangeFailed(status: 500, message: "")),
  ])
  func refusedPollEndsTheSignIn(_ status: Int, _ body: String, _ expected: ChappieAuthError) async throws {
    let error = try await failure([
      FakeIssuer.codePath: [FakeIssuer.code], FakeIssuer.pollPath: [Response(status: status, body: body)],
    ])
    #expect(error == expected)
  }

  @Test func approvalWithoutACodeEndsTheSignIn() async throws {
    let error = try await failure([
      FakeIssuer.codePath: [FakeIssuer.code], FakeIssuer.pollPath: [Response(body: "{\"code_verifier\":\"v\"}")],
    ])
    #expect(error == .invalidResponse("there is no authorization code in it"))
  }

  @Test func cancellingEndsAWaitingSignIn() async throws {
    let polled = Wait()
    let server = try HTTPServer { request in
      guard request.path == FakeIssuer.pollPath else {
        let code = FakeIssuer.code.body.replacing("0.05", with: "60")
        return .whole(HTTPServerResponse(status: 200, type: "application/json", code))
      }
      polled.finish()
      return .whole(HTTPServerResponse(status: 403))
    }
    let base = "http://127.0.0.1:\(server.port)"
    let method = DeviceCodeSignIn(try ChappieBackend(issuer: base, baseURL: base), http: AuthHTTP())
    let task = Task { @GLibActor in _ = try await method.signIn(.plain) { _ in } }
    await polled.value()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await server.stop()
  }

  // MARK: Single rules

  @Test(
    arguments: [
      (nil, 5), ("", 5), ("5", 5), ("1", 1), ("0.5", 0.5), ("0", 5), ("-1", 5), ("nan", 5), ("inf", 5), ("1e400", 5),
      ("soon", 5), ("0.0001", 0.05), ("3600", 60), ("1e300", 60),
    ] as [(String?, Double)])
  func pollIntervalIsBounded(_ text: String?, _ seconds: Double) {
    #expect(DeviceCodeSignIn.interval(text) == seconds)
  }

  @Test(arguments: ["ABCD-12345", "a", "0", "-", "0123456789ABCDEFGHIJabcdefghij-0123456789ABCDEFGHIJabcdefghij-01"])
  func codeOfLettersDigitsAndDashesIsShowable(_ code: String) {
    #expect(DeviceCodeSignIn.isShowable(code))
  }

  @Test(arguments: [
    "", "A B", "A\n", "A\u{1B}[2J", "A\0", "ÄBCD", "АBCD", "A.B", "<b>", "ABCD_1", "\u{202E}DCBA", "１２", "A😀",
    "0123456789ABCDEFGHIJabcdefghij-0123456789ABCDEFGHIJabcdefghij-012-",
  ])
  func otherCodesAreNotShowable(_ code: String) {
    #expect(!DeviceCodeSignIn.isShowable(code))
  }
}
