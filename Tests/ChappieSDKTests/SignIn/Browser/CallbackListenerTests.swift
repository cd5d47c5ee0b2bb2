// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// The browser's return from the sign-in page, over real sockets or in an address that the user pastes.
@Suite(.timeLimit(.minutes(10)))
@GLibActor
struct CallbackListenerTests {
  nonisolated private static let state = "state-of_this.attempt~1"
  nonisolated private static let right = "code=abc&state=\(state)"

  private static func listener(
    patience: Duration = .seconds(60), farewell: Duration = .seconds(2)
  ) throws -> CallbackListener {
    try CallbackListener(
      state: SecretBytes(state.utf8), issuer: "https://issuer.example", patience: patience, farewell: farewell)
  }

  /// A request to the port that stands for `PORT`.
  nonisolated private static func request(
    _ target: String, method: String = "GET", host: String = "127.0.0.1:PORT"
  ) -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
  }

  private static func send(_ request: String, to listener: CallbackListener) throws -> LoopbackClient {
    let client = try LoopbackClient(port: listener.port)
    client.send(request.replacing("PORT", with: String(listener.port)))
    return client
  }

  /// Sends a request whose parameters are `query`.
  private static func get(_ listener: CallbackListener, _ query: String) throws -> LoopbackClient {
    try send(request("/auth/callback?\(query)"), to: listener)
  }

  /// A browser that has asked for the page, and gets it with the outcome. The listener does not wait for long for one
  /// that asks later.
  private static func browserAtPage(_ listener: CallbackListener) async throws -> LoopbackClient {
    let client = try send(request("/auth/done"), to: listener)
    // Requests are answered in their order.
    #expect(try await send(request("/auth/done?x"), to: listener).rest().hasPrefix("HTTP/1.1 404 "))
    return client
  }

  /// Expects that the right callback was taken, and that the browser gets the outcome.
  private static func expectSignIn(_ listener: CallbackListener) async throws {
    #expect(try await listener.callback().code == "abc")
    let browser = try await browserAtPage(listener)
    listener.finish(.signedIn)
    let page = try await browser.rest()
    #expect(page.hasPrefix("HTTP/1.1 200 ") && page.contains("You are signed in"))
  }

  /// Expects that each request is refused, and that the right one is taken after them.
  private static func expectRefusals(_ status: Int, _ requests: [String]) async throws {
    let listener = try listener()
    for request in requests {
      #expect(try await send(request, to: listener).rest().hasPrefix("HTTP/1.1 \(status) "), "\(request)")
    }
    _ = try get(listener, right)
    try await expectSignIn(listener)
  }

  private static func expectNoSocket(_ port: UInt16) async throws {
    try await eventually("no socket") { try LoopbackClient.listenerSockets(port: port) == 0 }
  }

  // MARK: Callbacks

  nonisolated private static let longest = (String(repeating: "c", count: 4096), String(repeating: "i", count: 256))

  @Test(
    arguments: [
      ("code=a%2Bb+c&scope=openid+email&x=%26&y&=&", "a+b c", nil, nil),
      ("client_id=oaiapp_1&%63ode=abc&iss=https%3A%2F%2Fissuer.example", "abc", "oaiapp_1", nil),
      ("error=access_denied&error_description=no", nil, nil, "access_denied"),
      ("code=\(longest.0)&client_id=\(longest.1)", longest.0, longest.1, nil),
    ] as [(String, String?, String?, String?)])
  func takesACallback(_ query: String, _ code: String?, _ clientID: String?, _ error: String?) async throws {
    let listener = try Self.listener()
    #expect(listener.redirectURI == "http://127.0.0.1:\(listener.port)/auth/callback")
    let client = try Self.get(listener, "\(query)&state=\(Self.state)")
    let callback = try await listener.callback()
    #expect(callback.code == code && callback.clientID == clientID && callback.error == error)
    #expect(try await client.rest().hasPrefix("HTTP/1.1 303 "))
    listener.finish(.signedIn)
  }

  /// A code in an error or a log is found and removed from then on.
  @Test func theCodeIsKnownToRedaction() async throws {
    let listener = try Self.listener()
    _ = try Self.get(listener, "code=a-code-that-must-not-appear&state=\(Self.state)")
    let callback = try await listener.callback()
    #expect(callback.code == "a-code-that-must-not-appear")
    #expect(TokensAtHand.all().contains { $0.text == "a-code-that-must-not-appear" })
    listener.finish(.cancelled)
  }

  // MARK: Requests that are refused

  @Test func aWrongQueryEndsNothing() async throws {
    let (state, right) = (Self.state, Self.right)
    let queries: [String] = [
      "code=abc", "code=abc&state=", "code=abc&state=other", "code=abc&state=\(state)x", "code=abc&State=\(state)",
      "\(right)&code=abc", "\(right)&%63ode=abc", "\(right)&state=\(state)", "\(right)&client_id=a&client_id=a",
      "error=a&error=a&state=\(state)", "\(right)&iss=https://issuer.example&iss=https://issuer.example",
      "\(right)&iss=https://other.example", "\(right)&iss=", "state=\(state)", "\(right)&error=access_denied",
      "code=&state=\(state)", "code&state=\(state)", "code=%0A&state=\(state)", "code=%C3%A4&state=\(state)",
      "\(right)&client_id=", "\(right)&client_id=a+b", "\(right)&client_id=a%00", "error=&state=\(state)",
      "error=%3Cb%3E&state=\(state)", "error=a.b&state=\(state)", "\(right)&x=%", "\(right)&x=%4", "\(right)&x=%4G",
      "\(right)&%=x", "\(right)#x", "", "code=\(String(repeating: "c", count: 4097))&state=\(state)",
      "\(right)&client_id=\(String(repeating: "i", count: 257))",
      "error=\(String(repeating: "e", count: 65))&state=\(state)",
    ]
    try await Self.expectRefusals(400, queries.map { Self.request("/auth/callback?\($0)") })
  }

  @Test func anotherPathEndsNothing() async throws {
    let paths = [
      "/", "/favicon.ico", "/auth/callback/", "/auth/Callback", "/auth/callbackx", "//auth/callback",
      "/auth/./callback", "/auth/%63allback", "/auth/callback;x", "/auth/callback%3F", "*",
      "http://127.0.0.1/auth/callback", "/auth/done",
    ]
    try await Self.expectRefusals(404, paths.map { Self.request("\($0)?\(Self.right)") })
  }

  @Test func anotherMethodEndsNothing() async throws {
    let methods = ["HEAD", "POST", "OPTIONS", "PUT", "get", "CONNECT"]
    try await Self.expectRefusals(405, methods.map { Self.request("/auth/callback?\(Self.right)", method: $0) })
  }

  @Test func anotherHostEndsNothing() async throws {
    let hosts = ["localhost:PORT", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:PORT.", "[::1]:PORT", "evil.example"]
    try await Self.expectRefusals(400, hosts.map { Self.request("/auth/callback?\(Self.right)", host: $0) })
  }

  // MARK: The attempt

  /// The browser goes on to an address without a code, so that this one is in its history.
  @Test func theBrowserWaitsForTheOutcomeElsewhere() async throws {
    let listener = try Self.listener()
    let redirect = try await Self.get(listener, Self.right).rest()
    #expect(redirect.hasPrefix("HTTP/1.1 303 ") && redirect.contains("\r\nLocation: /auth/done\r\n"))
    #expect(!redirect.contains(Self.state) && !redirect.contains("abc"))
    _ = try await listener.callback()
    let browser = try await Self.browserAtPage(listener)
    listener.finish(.failed(reason: "The <account> is another one."))
    let answer = try await browser.rest()
    #expect(answer.hasPrefix("HTTP/1.1 200 "))
    #expect(answer.contains("<p>The &lt;account&gt; is another one. You can close this page.</p>"))
  }

  /// A browser that never asks for the page does not keep the port.
  @Test func aBrowserThatGoesAwayIsNotAwaitedForLong() async throws {
    let listener = try Self.listener(farewell: .milliseconds(1))
    let port = listener.port
    _ = try await Self.get(listener, Self.right).rest()
    listener.finish(.signedIn)
    #expect(try LoopbackClient.listenerSockets(port: port) > 0)
    try await Self.expectNoSocket(port)
  }

  @Test func aBrowserMayComeAfterTheEnd() async throws {
    let listener = try Self.listener(farewell: .seconds(600))
    let port = listener.port
    let client = try Self.get(listener, Self.right)
    _ = try await listener.callback()
    listener.finish(.signedIn)
    listener.finish(.declined)
    #expect(try await client.rest().hasPrefix("HTTP/1.1 303 "))
    #expect(try await Self.send(Self.request("/auth/done"), to: listener).rest().contains("You are signed in"))
    #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient(port: port) }
    try await Self.expectNoSocket(port)
  }

  /// The attempt goes on, whatever the page says.
  @Test func theBrowserDoesNotWaitForEver() async throws {
    let listener = try Self.listener(patience: .milliseconds(1))
    _ = try await Self.get(listener, Self.right).rest()
    #expect(try await Self.browserAtPage(listener).rest().contains("The sign-in is not finished yet"))
    #expect(try await listener.callback().code == "abc")
    listener.finish(.signedIn)
  }

  @Test func aSecondCallbackHasNoEffect() async throws {
    let listener = try Self.listener()
    _ = try Self.get(listener, Self.right)
    #expect(try await listener.callback().code == "abc")
    let second = try await Self.get(listener, "code=other&state=\(Self.state)").rest()
    #expect(second.hasPrefix("HTTP/1.1 409 "))
    #expect(throws: ChappieAuthError.self) {
      try listener.take(pasted: "\(listener.redirectURI)?code=other&state=\(Self.state)")
    }
    try await Self.expectSignIn(listener)
  }

  @Test func silentConnectionsDoNotKeepTheCallbackOut() async throws {
    let listener = try Self.listener()
    let others = try (0..<200).map { number in
      let client = try LoopbackClient(port: listener.port)
      if number.isMultiple(of: 2) { client.send("GET /auth/callback?code=") }
      return client
    }
    _ = try Self.get(listener, Self.right)
    #expect(try await listener.callback().code == "abc")
    let later = try (0..<50).map { _ in try LoopbackClient(port: listener.port) }
    #expect(try await later[0].rest().isEmpty)
    try await Self.expectSignIn(listener)
    #expect(try await others[199].rest().isEmpty)
  }

  @Test func nothingIsLeftAfterTheEnd() async throws {
    let listener = try Self.listener()
    let port = listener.port
    let silent = try LoopbackClient(port: port)
    _ = try Self.get(listener, Self.right)
    _ = try await listener.callback()
    let browser = try await Self.browserAtPage(listener)
    listener.finish(.declined)
    listener.finish(.signedIn)
    #expect(try await browser.rest().contains("You declined the sign-in"))
    #expect(try await silent.rest().isEmpty)
    #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient(port: port) }
    try await Self.expectNoSocket(port)
  }

  @Test func anAttemptCanEndWithoutACallback() async throws {
    let listener = try Self.listener()
    let port = listener.port
    let waiting = Task.onGLib { try await listener.callback() }
    await Task.yield()
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(try LoopbackClient.listenerSockets(port: port) == 1)
    listener.finish(.cancelled)
    try await Self.expectNoSocket(port)
  }

  // MARK: Addresses that a user copied from the browser of another machine

  nonisolated private static let base = "http://127.0.0.1:PORT/auth/callback"

  @Test(arguments: ["", " \r\n"], ["", "#", "#fragment"])
  func takesTheWholeAddress(_ space: String, _ fragment: String) async throws {
    let listener = try Self.listener()
    try listener.take(pasted: "\(space)\(listener.redirectURI)?\(Self.right)\(fragment)\(space)")
    #expect(try await listener.callback().code == "abc")
    // No browser of this machine comes.
    listener.finish(.signedIn)
    #expect(throws: LoopbackClient.Failure.self) { try LoopbackClient(port: listener.port) }
  }

  /// Each error tells what is wrong, and the attempt goes on.
  @Test(arguments: [
    ("abc", "copy the whole address"), ("", "copy the whole address"), (right, "copy the whole"),
    ("https://127.0.0.1:PORT/auth/callback?\(right)", "begins with http://"),
    ("HTTP://127.0.0.1:PORT/auth/callback?\(right)", "begins with http://"),
    ("127.0.0.1:PORT/auth/callback?\(right)", "begins with http://"),
    ("http://localhost:PORT/auth/callback?\(right)", "another computer"),
    ("http://127.0.0.1/auth/callback?\(right)", "another computer"),
    ("http://127.0.0.1:1/auth/callback?\(right)", "another computer"),
    ("http://127.0.0.1:PORT0/auth/callback?\(right)", "another computer"),
    ("http://user@127.0.0.1:PORT/auth/callback?\(right)", "another computer"),
    ("http://127.0.0.1:PORT@evil.example/auth/callback?\(right)", "another computer"),
    ("http://127.0.0.1:PORT\\@evil.example/auth/callback?\(right)", "another computer"),
    ("http://[::1]:PORT/auth/callback?\(right)", "another computer"),
    ("http://127.0.0.1:PORT/callback?\(right)", "its path"), ("http://127.0.0.1:PORT?\(right)", "its path"),
    ("http://127.0.0.1:PORT", "its path"), ("\(base)/?\(right)", "its path"),
    (base, "another sign-in"), ("\(base)#?\(right)", "another sign-in"),
    ("\(base)?code=abc&state=other", "another sign-in"),
    ("\(base)?state=\(state)", "neither a code nor an error"),
    ("\(base)?code=a%2&state=\(state)", "damaged"), ("\(base)?code=a b&state=\(state)", "damaged"),
    ("\(base)?code=a\nb&state=\(state)", "damaged"), ("\(base)?code=ä&state=\(state)", "damaged"),
    ("\(base)?\(right)&code=abc", "twice"), ("\(base)?\(right)&client_id=", "malformed"),
    ("\(base)?\(right)&iss=https://other.example", "another server"),
  ])
  func tellsWhatIsWrong(_ text: String, _ reason: String) async throws {
    let listener = try Self.listener()
    let error = #expect(throws: ChappieAuthError.self) {
      try listener.take(pasted: text.replacing("PORT", with: String(listener.port)))
    }
    #expect(error?.description.contains(reason) == true)
    #expect(error?.description.contains(Self.state) == false)
    try listener.take(pasted: "\(listener.redirectURI)?\(Self.right)")
    #expect(try await listener.callback().code == "abc")
    listener.finish(.signedIn)
  }

  @Test func aMegabyteIsRefused() throws {
    let listener = try Self.listener()
    for piece in ["x", "%41", " ", "http://"] {
      let long = "\(listener.redirectURI)?\(Self.right)" + String(repeating: piece, count: 1 << 20)
      let error = #expect(throws: ChappieAuthError.self) { try listener.take(pasted: long) }
      #expect(error?.description.contains("too long") == true)
    }
    listener.finish(.cancelled)
  }

  // MARK: Pages

  /// A word of the callback, and what a server says, come from elsewhere.
  @Test(arguments: [
    ChappieAuthError.invalidResponse("it refused the sign-in with a_word"),
    .tokenExchangeFailed(status: 400, message: "a_word"),
  ])
  func pagesRepeatNothingFromElsewhere(_ error: ChappieAuthError) {
    let answer = CallbackPage(endOf: error).answer
    #expect(answer.body.contains("The sign-in failed") && !answer.body.contains("a_word"))
    // The address bar may have it.
    #expect(answer.script.contains("history.replaceState("))
  }
}

extension CallbackListener {
  nonisolated var port: UInt16 { UInt16(redirectURI.split(separator: ":")[2].prefix { $0.isNumber }) ?? 0 }
}

extension Callback {
  var code: String? {
    if case .code(let code, _) = self { code.text } else { nil }
  }
  var clientID: String? {
    if case .code(_, let clientID) = self { clientID } else { nil }
  }
  var error: String? {
    if case .refused(let code) = self { code } else { nil }
  }
}
