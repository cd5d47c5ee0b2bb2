// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The choice of the transport: the service's configuration, and a client's own.
@Suite(.worlds) @GLibActor
struct PolicyTests {
  private func open(_ caller: Caller, _ policy: VariantDictionary) async throws -> ObjectPath {
    try await caller.open("Client", ["streaming_transport_policy": policy])
  }

  @Test func aClientCanDisableWebSocket() async throws {
    try await World.signedIn { world, caller in
      let client = try await open(caller, ["prefers_web_socket": false])
      #expect(try await caller.send("hi", at: client).contains("hi"))
      let state = try await world.sandbox.state()
      #expect(state.lastResponsesRequest.transport == "http")
      #expect(state.requests["handshake"] == 0)
    }
  }

  @Test func aClientCanEnableWebSocket() async throws {
    try await World.signedIn(.http) { world, caller in
      #expect(try await caller.send("hi").contains("hi"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "http")
      let client = try await open(caller, ["prefers_web_socket": true])
      #expect(try await caller.send("hi", at: client).contains("hi"))
      #expect(try await world.sandbox.state().lastResponsesRequest.transport == "websocket")
    }
  }

  @Test func aNegativeReconnectionLimitMeansNone() async throws {
    try await World.signedIn { world, caller in
      let policy: VariantDictionary = [
        "max_web_socket_reconnection_attempts": Int32(-3), "falls_back_to_http_sse": false,
      ]
      let client = try await open(caller, policy)
      try await world.sandbox.play(#"[{"endpoint":"responses","drop_after":0}]"#)
      try await expectRefusal("Network") { try await caller.send("hi", at: client) }
      #expect(try await world.sandbox.state().requests["handshake"] == 1)
    }
  }
}
