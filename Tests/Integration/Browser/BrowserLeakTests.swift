// SPDX-License-Identifier: Apache-2.0
import SecretMemory

/// No token, code or verifier of a sign-in in the browser stays where others could find it.
@Suite(.worlds) @GLibActor
struct BrowserLeakTests {
  /// A service with the most detailed log. Each access token is due for a refresh at once.
  private static let talkative: World.Plan = {
    var plan = World.Plan.browser(["--access-token-lifetime", "9"])
    plan.environment = ["G_MESSAGES_DEBUG": "all", "G_DBUS_DEBUG": "message"]
    return plan
  }()

  @Test func aLongDayLeavesNoToken() async throws {
    try await World.withoutLeaks(Self.talkative) { world, caller in
      try await world.user.finish(try await world.user.start(caller), deciding: ["decision": "decline"])
      try await caller.waitFor("declined", "Session.DeviceLinkState")
      let abandoned = try await world.user.decide(try await world.user.start(caller))
      try await caller.call("Session.CancelSignIn")
      try await world.user.signIn(caller)
      _ = try await caller.send("hi")
      _ = try await caller.stream("hi", ["broadcast": true, "continue": true]).end()
      _ = try await refusal { try await caller.call("Session.CompleteBrowserSignIn", "http://127.0.0.1:1/elsewhere") }
      try await world.user.signIn(caller)
      for fault in [
        #"{"endpoint":"browser-refresh","status":503,"body":"down"}"#,
        #"{"endpoint":"browser-refresh","refusal":"invalid_client"}"#,
        // Servers that repeat a token.
        #"{"endpoint":"browser-refresh","status":400,"body":{"error":"rt-\#(Leaks.marker)-1"}}"#,
        #"{"endpoint":"browser-refresh","status":400,"body":"<p>rt-\#(Leaks.marker)-2</p>"}"#,
        #"{"endpoint":"api-responses","status":400,"body":{"error":{"message":"rt-\#(Leaks.marker)-3 is bad."}}}"#,
        #"{"endpoint":"api-responses","refusal":"invalid_token","times":"always"}"#,
        #"{"endpoint":"api-responses","refusal":"subscription_sharing_usage_limit_exceeded"}"#,
        #"{"endpoint":"api-responses","text":"one two three","drop_after":1}"#,
      ] {
        try await world.sandbox.play("[\(fault)]")
        _ = try? await caller.send("refused")
      }
      try await world.keyring.lock()
      _ = try? await caller.send("locked")
      try await world.keyring.unlock()
      try await world.service.restart()
      try await world.sandbox.play(#"[{"endpoint":"browser-refresh","drop_after":0}]"#)
      _ = try? await caller.send("an answer that is lost")
      try await world.sandbox.play(#"[{"endpoint":"browser-revoke","status":503,"body":"","times":"always"}]"#)
      try await world.user.signIn(caller)
      try await caller.call("Session.SignOut")
      // The code of the cancelled sign-in is one that the search would find.
      #expect(!Leaks.findings(in: ["address": Data(abandoned.utf8)]).isEmpty)
    }
  }

  // MARK: Memory

  @Test func theEndOfASignInLeavesNothingInMemory() async throws {
    let world = try await World.begin(.browser(["--access-token-lifetime", "9"]))
    let saver = try await ScreenSaver(ScreenSaver.gnome, in: world)
    let caller = try await world.caller()
    try await world.each(["decline", "cancel", "fail", "approve"]) { end in
      let address = try await world.user.start(caller)
      let state = try #require(query("state", of: address))
      let challenge = try #require(query("code_challenge", of: address))
      // Both are needed until the end, so the search must find them.
      #expect(try await findings(state, challenge, in: world) == ["the state", "the verifier"])
      switch end {
      case "approve":
        try await world.user.finish(address)
        try await caller.waitFor("linked", "Session.DeviceLinkState")
        for _ in 0..<2 { #expect(try await caller.send("renewed").contains("renewed")) }
      case "decline": try await world.user.finish(address, deciding: ["decision": "decline"])
      case "cancel": try await caller.call("Session.CancelSignIn")
      default:
        try await world.sandbox.play(#"[{"endpoint":"browser-token","refusal":"invalid_grant"}]"#)
        try await world.user.finish(address)
      }
      try await saver.lock(caller)
      var found: [String] = []
      _ = try await holds {
        found = try await findings(state, challenge, in: world)
        return found.isEmpty
      }
      #expect(found == [], "after \(end)")
      try await saver.unlock(caller)
    }
  }

  /// What the memory of the service holds: tokens and the code by their marker, the state, and a text whose digest is
  /// the challenge. The search runs outside the actor, which other tests use.
  private func findings(_ state: String, _ challenge: String, in world: World) async throws -> [String] {
    guard let id = world.service.process?.id else { throw UnmetCondition("a service that runs") }
    return try await Task.detached {
      let parts = try ProcessMemory.parts(of: id)
      let states = parts.values.contains { $0.contains(state) } ? ["the state"] : []
      let verifiers = parts.values.contains { Self.hasVerifier($0, challenge) } ? ["the verifier"] : []
      return Leaks.findings(in: parts) + states + verifiers
    }.value
  }

  /// Whether a run of 43 characters of base64url has this digest.
  nonisolated private static func hasVerifier(_ data: Data, _ challenge: String) -> Bool {
    let length = 43
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    let isOfAlphabet = (UInt8.min...UInt8.max).map(alphabet.contains)
    return data.withUnsafeBytes { bytes in
      var count = 0
      for offset in 0..<bytes.count {
        count = isOfAlphabet[Int(bytes[offset])] ? count + 1 : 0
        guard count >= length else { continue }
        let digest = SHA256.digest(of: Array(bytes[(offset - length + 1)...offset]))
        if Base64URL.encode(digest) == challenge { return true }
      }
      return false
    }
  }
}
