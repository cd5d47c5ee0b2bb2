// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
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

  @Test func rolesUseTheWordsOfTheBus() {
    #expect(ChappieInputMessage.Role.allCases.map(\.rawValue) == ["user", "assistant", "system", "developer"])
  }

  @Test func effortsUseTheWordsOfTheBackend() {
    let efforts: [ChappieReasoningEffort] = [.minimal, .low, .medium, .high]
    #expect(efforts.map(\.rawValue) == ["minimal", "low", "medium", "high"])
  }
}
