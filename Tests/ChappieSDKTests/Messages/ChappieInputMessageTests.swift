// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

struct ChappieInputMessageTests {
  @Test(.timeLimit(.minutes(1))) func textsTakeOptions() async throws {
    #expect(ChappieInputMessage.user("a", fastMode: true).options.fastMode)
    try await TestClient.with { world in
      let options = ChappieMessageOptions(model: "gpt-6-luna")
      for try await event in world.client.stream("Hello", options: options) {
        if case .completed(let response) = event { #expect(response.model == "gpt-6-luna") }
      }
      let schema = ChappieMessageOptions(outputSchema: ["type": "object", "properties": ["a": ["type": "string"]]])
      #expect(try await world.client.send("Hello", options: schema).hasPrefix("{"))
    }
  }
}
