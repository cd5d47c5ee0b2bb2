// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A sign-in with servers that refuse.
@Suite(.worlds) @GLibActor
struct SignInFailureTests {
  /// An answer, the error for the caller, and a part of its message.
  typealias Case = (answer: String, error: String, message: String)

  private nonisolated static let noCode: [Case] = [
    (#""status":404"#, "HTTPError", "not enabled"), (#""status":500"#, "HTTPError", "status 500"),
    (#""raw":"<html>Hello</html>""#, "HTTPError", "cannot be used"), (#""drop_after":0"#, "Network", "not reached"),
  ]

  private nonisolated static let noTokens: [Case] = [
    (#""poll","status":500"#, "TokenExchangeFailed", "status 500"),
    (
      #""token","status":400,"body":{"error":"invalid_grant","error_description":"Too late."}"#, "TokenExchangeFailed",
      "Too late."
    ),
    (#""token","body":{"id_token":"a.b.c","access_token":"a.b.c"}"#, "HTTPError", "a token is missing or too long"),
    (#""token","drop_after":0"#, "Network", "not reached"),
  ]

  @Test func theSignInFailsWithoutACodeOrTokens() async throws {
    try await World.with { world in
      try await world.each(Self.noCode) { test in
        let caller = try await world.caller()
        try await world.sandbox.play("[{\"endpoint\":\"usercode\",\(test.answer)}]")
        let refused = try await refusal { try await caller.startSignIn() }
        #expect(refused.name == test.error)
        #expect(refused.message.contains(test.message))
        #expect(try await caller.state() == "signed-out")
        #expect(try await caller.property("Session.DeviceLinkState") == "failed")
        let last = try await caller.lastError()
        #expect(last.text("name") == "org.chappie.Error.\(test.error)")
        #expect(last.text("message") == refused.message)
        #expect(last["requires_reauthentication"] == false.variant)
        // The next attempt starts from the beginning.
        try await caller.signIn()
        #expect(try await caller.lastError().isEmpty)
        try await caller.call("Session.SignOut")
      }
      try await world.each(Self.noTokens) { test in
        let caller = try await world.caller()
        try await world.sandbox.play("[{\"endpoint\":\(test.answer)}]")
        _ = try await caller.startSignIn()
        try await caller.waitFor("failed", "Session.DeviceLinkState")
        #expect(try await caller.state() == "signed-out")
        let last = try await caller.lastError()
        #expect(last.text("name") == "org.chappie.Error.\(test.error)")
        #expect(last.text("message")?.contains(test.message) == true)
        #expect(try await world.keyring.credentials().isEmpty)
        #expect(try await caller.property("Session.DeviceCode", as: VariantDictionary.self).isEmpty)
      }
      let caller = try await world.caller()
      await world.sandbox.end()
      try await expectRefusal("Network") { try await caller.startSignIn() }
      #expect(try await caller.state() == "signed-out")
    }
  }
}
