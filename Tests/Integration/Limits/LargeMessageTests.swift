// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// Messages that are large, or would cost the service many times their length, are refused before they are parsed.
@Suite(.worlds) @GLibActor
struct LargeMessageTests {
  @Test func aMessageOfManyValuesIsRefused() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let strings = Array(repeating: "", count: 150_000)
      // The limit holds for every method: one that does not exist has no other limit.
      let refused = try await refusal { try await caller.call("Client.NoSuchMethod", strings) }
      #expect(refused.name == "LimitExceeded")
      #expect(refused.message.contains("100000 values"))
      #expect(try await caller.state() == "signed-out")
    }
  }

  @Test func aMessageOfManyBytesIsRefused() async throws {
    try await World.with { world in
      let caller = try await world.caller()
      let text = String(repeating: "x", count: 21 << 20)
      let refused = try await refusal { try await caller.call("Client.NoSuchMethod", text) }
      #expect(refused.name == "LimitExceeded")
      #expect(refused.message.contains("\(20 << 20) are allowed"))
      #expect(try await caller.state() == "signed-out")
    }
  }
}
