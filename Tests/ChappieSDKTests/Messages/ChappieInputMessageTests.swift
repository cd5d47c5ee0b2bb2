// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Testing

struct ChappieInputMessageTests {
  @Test func shortFormsSetTheRole() {
    #expect(ChappieInputMessage.user("a") == ChappieInputMessage(role: .user, text: "a"))
    #expect(ChappieInputMessage.assistant("a") == ChappieInputMessage(role: .assistant, text: "a"))
    #expect(ChappieInputMessage.system("a") == ChappieInputMessage(role: .system, text: "a"))
  }

  @Test func messageCarriesFastMode() {
    #expect(ChappieInputMessage.user("a", fastMode: true).options.fastMode)
    #expect(!ChappieInputMessage.user("a").options.fastMode)
  }

  @Test func messageCarriesOptions() {
    let options = ChappieMessageOptions(reasoningEffort: .high, instructions: "Be short.")
    #expect(ChappieInputMessage.user("a", options: options).options == options)
  }

  @Test(.timeLimit(.minutes(1))) func textsTakeOptions() async throws {
    try await TestClient.with { world in
      let options = ChappieMessageOptions(model: "gpt-6-luna")
      for try await event in world.client.stream("Hello", options: options) {
        if case .completed(let response) = event { #expect(response.model == "gpt-6-luna") }
      }
      let schema = ChappieMessageOptions(outputSchema: ["type": "object", "properties": ["a": ["type": "string"]]])
      #expect(try await world.client.send("Hello", options: schema).hasPrefix("{"))
    }
  }

  @Test func rolesUseTheWordsOfTheBus() {
    #expect(ChappieInputMessage.Role.allCases.map(\.rawValue) == ["user", "assistant", "system", "developer"])
  }

  @Test func effortsUseTheWordsOfTheBackend() {
    let efforts: [ChappieReasoningEffort] = [.minimal, .low, .medium, .high]
    #expect(efforts.map(\.rawValue) == ["minimal", "low", "medium", "high"])
  }
}
