// SPDX-License-Identifier: Apache-2.0

/// Servers behind TLS and the proxies in between: a proxy's answer never passes for a server's.
@Suite(.worlds, .enabled(if: TLSNetwork.canBeTrusted)) @GLibActor
struct ProxyTests {
  /// A signed-in caller whose service reaches its server through a network.
  private func begin(
    shortTokens: Bool = false, _ environment: [String: String] = [:]
  ) async throws -> (World, Caller, TLSNetwork) {
    var plan = shortTokens ? World.Plan.shortTokens : World.Plan()
    plan.service = .none
    let world = try await World.begin(plan)
    let network = try await TLSNetwork(world)
    try await world.service.start(through: network, environment)
    let caller = try await world.signedInCaller()
    #expect(try await caller.send("hi").contains("hi"))
    return (world, caller, network)
  }

  // MARK: Instead of the token endpoint

  /// A proxy's behaviour, and the text that the error must contain.
  private static let interferences: KeyValuePairs = [
    "refuse 400 oauth": "a proxy refused to connect to sign-in.chappie.test and returned status 400",
    "refuse 407 oauth": "status 407", "refuse 403": "status 403", "refuse 302": "status 302", "cut": "not reached",
    "half": "not reached", "noise": "not reached", "page": "TLS", "intercept": "certificate",
  ]

  @Test func aProxysAnswerSignsNoAccountOut() async throws {
    let (world, caller, network) = try await begin(shortTokens: true)
    for (interference, reason) in Self.interferences {
      let before = try await world.sandbox.state().requests["refresh"]
      try network.answer(interference)
      try await expectRefusal("Network", "\(interference)", saying: reason) { try await caller.send("hi") }
      #expect(try await caller.state() == "signed-in", "\(interference)")
      #expect(try await world.sandbox.state().requests["refresh"] == before, "\(interference)")
      try network.answer("pass")
      #expect(try await caller.send("again").contains("again"), "\(interference)")
    }
    #expect(caller.signals("ReauthenticationRequired").isEmpty)
    #expect(try await world.keyring.credentials().count == 1)
  }

  /// An answer over TLS comes from the server, but only an OAuth error ends the sign-in.
  @Test func onlyAnOAuthErrorOfTheServerEndsTheSignIn() async throws {
    let (_, caller, network) = try await begin(shortTokens: true)
    let head = #"Content-Type: text/html\r\nConnection: close\r\n"#
    for answer in [
      #"HTTP/1.1 403 Forbidden\r\n\#(head)\r\n<html>invalid_grant</html>"#,
      #"HTTP/1.1 401 Unauthorized\r\n\#(head)Content-Length: 500\r\n\r\n{"error":"invalid_grant"}"#,
      #"HTTP/1.1 400 Bad Request\r\n\#(head)\r\n{"error":"invalid_grant""#,
      #"HTTP/1.1 400 Bad Request\r\n\#(head)\r\n{"error":"invalid_client"}"#,
      #"HTTP/1.1 200 OK\r\n\#(head)\r\n{"access_token":"new","refresh_token":"ne"#,
      #"HTTP/1.1 40"#, #"\x00\xff\xfe{}"#,
    ] {
      try network.answer("behind \(answer)")
      let error = try await refusal { try await caller.send("hi") }
      #expect(["Network", "HTTPError"].contains(error.name), "\(answer): \(error)")
      #expect(try await caller.state() == "signed-in", "\(answer)")
      try network.answer("pass")
      #expect(try await caller.send("again").contains("again"), "\(answer)")
    }
    #expect(caller.signals("ReauthenticationRequired").isEmpty)
    try network.answer(#"behind HTTP/1.1 400 Bad Request\r\n\#(head)\r\n{"error":"invalid_grant"}"#)
    try await expectRefusal("ReauthenticationRequired") { try await caller.send("hi") }
    #expect(try await caller.state() == "reauthentication-required")
  }

  /// TLS authenticated the server when the connection was made.
  @Test func anErrorOverAKeptConnectionComesFromTheServer() async throws {
    let (_, caller, network) = try await begin()
    try network.answer(#"keep HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"#)
    let before = network.requests.count
    for _ in 0..<3 { try await expectRefusal("HTTPError") { try await caller.call("Client.GetUsageLimits") } }
    #expect(network.requests.count == before + 1)
  }

  // MARK: Instead of the backend

  /// A proxy's 401 does not spend a refresh token, and its 403 is not the backend's refusal.
  @Test func aProxysAnswerIsNotTheBackends() async throws {
    let (world, caller, network) = try await begin()
    for status in [401, 403] {
      try await world.sandbox.closeSockets()
      try network.answer("refuse \(status) oauth")
      let failure = try await caller.stream("hi").end().failure
      #expect(failure.name == "Network", "\(failure)")
      #expect(failure.message.contains("proxy"), "\(failure)")
      #expect(try await world.sandbox.state().requests["refresh"] == 0)
      try await expectRefusal("Network") { try await caller.call("Client.GetUsageLimits") }
    }
  }

  /// A fault of a certificate, and the text that the error must contain.
  private static let certificates = [
    ("intercept", "no authority that is trusted here has issued it"), ("intercept expired", "it has expired"),
    ("intercept too-early", "it is not valid yet"), ("intercept other-host", "it is for another host"),
  ]

  /// A retry does not make a certificate trusted: not for a turn over either transport, with known or unknown models,
  /// not for a refresh, and not for a sign-in.
  @Test func anUntrustedCertificateIsNotRetried() async throws {
    let (certificate, cause) = Self.certificates[0]
    let (world, caller, network) = try await begin()
    try await world.sandbox.closeSockets()
    let over = [try await caller.open("Client", transports[0]), try await caller.open("Client", transports[1])]
    @GLibActor func expectOneRequest(
      _ what: String, most: Int = 1, _ ask: @GLibActor () async throws -> Void
    ) async throws {
      let before = network.requests.count
      let error = try await refusal { try await ask() }
      #expect(error.name == "Network", "\(what): \(error)")
      #expect(
        error.message.contains("the certificate shown for sign-in.chappie.test is not trusted (\(cause)"),
        "\(what): \(error)")
      #expect(((before + 1)...(before + most)).contains(network.requests.count), "\(what)")
    }
    try network.answer(certificate)
    for client in over { try await expectOneRequest("turn") { _ = try await caller.send("hi", at: client) } }
    try await expectOneRequest("usage") { _ = try await caller.call("Client.GetUsageLimits") }
    try await expectOneRequest("sign-in") { _ = try await caller.startSignIn() }
    // A service that knows no models yet.
    try await world.service.restart()
    for transport in transports {
      let client = try await caller.open("Client", transport)
      // The list of models and the socket are asked for at the same time.
      try await expectOneRequest("first turn", most: 2) { _ = try await caller.send("hi", at: client) }
    }
  }

  @Test func anUntrustedCertificateRefreshesNothing() async throws {
    let (_, caller, network) = try await begin(shortTokens: true)
    for (certificate, cause) in Self.certificates {
      try network.answer(certificate)
      let before = network.requests.count
      try await expectRefusal("Network", "\(certificate)", saying: cause) { try await caller.send("hi") }
      #expect(network.requests.count == before + 1, "\(certificate)")
    }
  }

  /// A program with the keys can decrypt each token that was sent.
  @Test func tlsKeysAreNeverLogged() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "chappie-keys-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: file) }
    let (world, _, _) = try await begin(["SSLKEYLOGFILE": file, "GNUTLS_DEBUG_LEVEL": "99"])
    #expect(!FileManager.default.fileExists(atPath: file))
    let log = try #require(world.service.process).output
    #expect(!log.contains("gnutls["), "\(log.prefix(1000))")
  }
}
