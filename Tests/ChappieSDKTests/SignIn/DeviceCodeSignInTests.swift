// SPDX-License-Identifier: Apache-2.0
import HTTPTestServer

@testable import ChappieSDK

@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct DeviceCodeSignInTests {
  private typealias Response = FakeIssuer.Response

  // MARK: Success

  @Test func signInGivesACredential() async throws {
    let polls = [Response(status: 403, body: "{}"), Response(status: 404), FakeIssuer.approval]
    let issuer = try FakeIssuer(polls: polls)
    let method = try issuer.method()
    var stages: [SignInProgress] = []
    let credential = try await method.signIn(.plain) { stages.append($0) }
    #expect(credential.method == "device-code")
    #expect(credential.accessToken.text == "access")
    #expect(credential.refreshToken?.text == "rt-1")
    #expect(credential.idToken?.text == "a.b.c")
    #expect(credential.renewedAt > 0)

    let requests = issuer.requests
    let pollPaths = Array(repeating: FakeIssuer.pollPath, count: 3)
    #expect(requests.map(\.path) == [FakeIssuer.codePath] + pollPaths + [FakeIssuer.tokenPath])
    for request in requests {
      #expect(request.method == "POST")
      #expect(request.headers["originator"] == "chappie")
      #expect(request.headers["user-agent"] == "chappie/\(ChappieVersion.current)")
    }
    #expect(
      try ChappieJSONValue(foundation: requests[0].body) == ["client_id": .string(ChappieBackend.productionClientID)])
    for poll in requests[1...3] {
      #expect(try ChappieJSONValue(foundation: poll.body) == ["device_auth_id": "da", "user_code": "ABCD-12345"])
    }
    #expect(
      requests[4].form == [
        "grant_type": "authorization_code", "client_id": ChappieBackend.productionClientID, "code": "a-code/+",
        "redirect_uri": "\(method.servers.issuer)/deviceauth/callback", "code_verifier": "verifier",
      ])

    guard stages.count == 3, case .preparing = stages[0], case .waiting(.showCode(let code)) = stages[1],
      case .exchanging = stages[2]
    else {
      Issue.record("other stages: \(stages)")
      return
    }
    #expect(code.userCode == "ABCD-12345")
    #expect(code.verificationURI.address == method.servers.issuer + "/codex/device")
  }

  /// What was issued can be ended, whatever else the answer lacks.
  @Test(arguments: [
    #"{"access_token":"access","refresh_token":"rt-1","id_token":"a.b.c"}"#, #"{"refresh_token":"rt-1"}"#,
    #"{"access_token":"rt-1","id_token":5}"#,
  ])
  func whatWasIssuedIsKeptAtOnce(_ tokens: String) async throws {
    let issuer = try FakeIssuer(tokens: Response(body: tokens))
    let custody = FakeCustody()
    _ = try? await issuer.method().signIn(.keeping(custody)) { _ in }
    #expect(custody.kept.map(\.refreshToken?.text) == ["rt-1"])
  }

  @Test(arguments: [
    #"{"device_auth_id":"da","usercode":"ABCD"}"#, #"{"device_auth_id":"da","user_code":"ABCD","interval":5}"#,
    #"{"device_auth_id":"da","user_code":"ABCD","interval":null,"more":[]}"#,
  ])
  func acceptsOtherFormsOfTheCode(_ body: String) async throws {
    let issuer = try FakeIssuer(code: Response(body: body))
    #expect(try await issuer.method().signIn(.plain) { _ in }.accessToken.text == "access")
  }

  // MARK: Failure

  private func expectFailure(_ issuer: FakeIssuer, _ expected: ChappieAuthError) async {
    await #expect(throws: expected) { try await issuer.method().signIn(.plain) { _ in } }
  }

  @Test(arguments: [
    "", "null", #"{"device_auth_id":"da"}"#, #"{"user_code":"ABCD"}"#, #"{"device_auth_id":"da","user_code":""}"#,
    #"{"device_auth_id":"da","user_code":"A\u001b[2J"}"#,
  ])
  func refusesAnAnswerWithoutAShowableCode(_ body: String) async throws {
    try await expectFailure(FakeIssuer(code: Response(body: body)), .invalidResponse("there is no code in it"))
  }

  @Test func aRefusalContainsTheReason() async throws {
    let refused = try FakeIssuer(code: Response(status: 500, body: "{\"error\":{\"message\":\"down\"}}"))
    await expectFailure(refused, .deviceCodeRequestFailed(status: 500, message: "down"))
    let ended = try FakeIssuer(tokens: Response(status: 400, body: "{\"error\":\"invalid_grant\"}"))
    await expectFailure(ended, .tokenExchangeFailed(status: 400, message: "invalid_grant"))
  }

  @Test(arguments: [
    (400, "{\"error\":\"access_denied\"}", ChappieAuthError.declined),
    (400, "{\"error\":{\"code\":\"authorization_declined\"}}", .declined),
    (400, "{\"error\":\"expired_token\"}", .expired),
    (429, "{\"error\":{\"message\":\"too fast\"}}", .tokenExchangeFailed(status: 429, message: "too fast")),
    (500, "", .tokenExchangeFailed(status: 500, message: "")),
    (200, "{\"code_verifier\":\"v\"}", .invalidResponse("there is no authorization code in it")),
  ])
  func refusedPollEndsTheSignIn(_ status: Int, _ body: String, _ expected: ChappieAuthError) async throws {
    try await expectFailure(FakeIssuer(polls: [Response(status: status, body: body)]), expected)
  }

  @Test(arguments: ["access_token", "refresh_token", "id_token"])
  func exchangeNeedsAllTokens(_ missing: String) async throws {
    let tokens = FakeIssuer.tokens.body.replacing("\"\(missing)\"", with: "\"x\"")
    try await expectFailure(
      FakeIssuer(tokens: Response(body: tokens)), .invalidResponse("a token is missing or too long"))
  }

  @Test func cancellingEndsAWaitingSignIn() async throws {
    let code = FakeIssuer.code.body.replacing("0.05", with: "60")
    let issuer = try FakeIssuer(code: Response(body: code), polls: [Response(status: 403)])
    let method = try issuer.method()
    let task = Task { @GLibActor in _ = try await method.signIn(.plain) { _ in } }
    try await eventually("a poll") { issuer.requests.contains { $0.path == FakeIssuer.pollPath } }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// The network has changed, or the machine has slept, while the user entered the code.
  @Test func aPollThatDoesNotReachTheServerIsRepeated() async throws {
    let issuer = try FakeIssuer(polls: [.dropped, Response(status: 403), .dropped, FakeIssuer.approval])
    #expect(try await issuer.method().signIn(.plain) { _ in }.accessToken.text == "access")
    #expect(issuer.requests.count { $0.path == FakeIssuer.pollPath } == 4)
  }

  // MARK: Single rules

  @Test(
    arguments: [
      (nil, 5), ("", 5), ("1", 1), ("0.5", 0.5), ("0", 5), ("-1", 5), ("nan", 5), ("inf", 5), ("soon", 5),
      ("0.0001", 0.05), ("3600", 60), ("1e300", 60),
    ] as [(String?, Double)])
  func pollIntervalIsBounded(_ text: String?, _ seconds: Double) {
    #expect(DeviceCodeSignIn.interval(text) == seconds)
  }

  @Test func onlyACodeOfLettersDigitsAndDashesIsShowable() {
    let longest = "0123456789ABCDEFGHIJabcdefghij-0123456789ABCDEFGHIJabcdefghij-01"
    for code in ["ABCD-12345", "a", "0", "-", longest] { #expect(DeviceCodeSignIn.isShowable(code), "\(code)") }
    for code in ["", "A B", "A\n", "A\u{1B}[2J", "АBCD", "<b>", "AB_1", "\u{202E}DCBA", "１２", "A😀", longest + "2-"] {
      #expect(!DeviceCodeSignIn.isShowable(code), "\(code.debugDescription)")
    }
  }
}
