// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The names that requests have for their application.
@Suite(.worlds) @GLibActor
struct OriginatorTests {
  private func originators(_ world: World) async throws -> [String: String] {
    try await world.sandbox.state().clients.compactMapValues { $0["originator"] }
  }

  @Test(.sandboxes)
  func anAppsOwnRegistrationIsUsedInItsName() async throws {
    try await World.with { world in
      let app = try await world.caller(app: "org.example.App")
      let session = try await app.open("Session")
      try await world.user.signIn(app, at: session)
      #expect(try await app.send("hi", at: try await app.open("Client")).contains("hi"))
      for endpoint in ["browser-token", "api-models", "api-responses"] {
        #expect(try await originators(world)[endpoint] == "org.example.App", "\(endpoint)")
      }
      try await app.call("Session.SignOut", at: session)
      #expect(try await originators(world)["browser-revoke"] == "org.example.App")
      // The user's own programs share one registration.
      let caller = try await world.callerSignedInInBrowser()
      #expect(try await caller.send("hi").contains("hi"))
      for endpoint in ["browser-token", "api-models", "api-responses"] {
        #expect(try await originators(world)[endpoint] == "chappie", "\(endpoint)")
      }
      // A version of Codex is a parameter of the Codex backend alone.
      #expect(try await world.sandbox.state().clients["api-models"]?["client_version"] == nil)
      try await caller.signIn()
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().clients["models"]?["client_version"] != nil)
    }
  }
}
