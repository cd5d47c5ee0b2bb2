// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Choosing the model that answers.
@Suite(.worlds) @GLibActor
struct SelectModelTests {
  private func select(_ slug: String, _ caller: Caller, at path: ObjectPath = .chappie) async throws {
    try await caller.call("Client.SelectModel", slug, at: path)
  }

  @Test func theSelectedModelAnswersFromThenOn() async throws {
    try await World.signedIn(each: transports) { world, caller, transport in
      let client = try await caller.open("Client", transport)
      _ = try await caller.send("before", at: client)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6.1-sol")
      try await select("gpt-6-sol", caller, at: client)
      #expect(try await caller.property("Client.Model", at: client) == "gpt-6-sol")
      let details = try await caller.stream("after", at: client).end().answer.details
      #expect(details.text("model") == "gpt-6-sol")
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
      // A turn may still name another model.
      _ = try await caller.send("once", ["model": "gpt-6-luna"], at: client)
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-luna")
      #expect(try await caller.property("Client.Model", at: client) == "gpt-6-sol")
      // Other clients keep theirs.
      #expect(try await caller.property("Client.Model") == "gpt-6.1-sol")
    }
  }

  @Test func onlyAChangeIsSignalled() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let other = try await world.caller()
      for slug in ["gpt-6-sol", "gpt-6-sol", "gpt-5.5"] { try await select(slug, caller) }
      for slug in ["", "a\nb", String(repeating: "m", count: 256)] {
        try await expectRefusal("InvalidArgument") { try await select(slug, caller) }
      }
      try await other.catchUp()
      #expect(try other.changedValues("Model", of: "Client") == ["gpt-6-sol", "gpt-5.5"])
      #expect(try await caller.property("Client.Model") == "gpt-5.5")
    }
  }
}
