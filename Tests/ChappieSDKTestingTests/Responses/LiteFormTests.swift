// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// The lite form of requests, as in section 3.2 of the protocol.
@Suite @GLibActor struct LiteFormTests {
  private nonisolated static let mark = "x-openai-internal-codex-responses-lite"

  private nonisolated static let lite: [String: ChappieJSONValue] = [
    "model": "gpt-6-sol", "parallel_tool_calls": false, "reasoning": ["effort": "low", "context": "all_turns"],
  ]

  private func input(_ text: String) -> [ChappieJSONValue] {
    [
      ["type": "additional_tools", "id": "at_1", "role": "developer", "tools": [Body.tool("clock")]],
      Body.developer("Be brief."), Body.user(text),
    ]
  }

  @Test func aRuleRefusesThePlainForm() async throws {
    let wire = try await Wire()
    try wire.backend.play(#"[{"endpoint": "responses", "requires_lite": true, "text": "Fine.", "times": "always"}]"#)
    for (changes, mark) in [
      (["tools": [Body.tool("clock")]], "true"), (["parallel_tool_calls": true], "true"),
      (["reasoning": ["effort": "low"]], "true"), ([:], "false"),
    ] as [([String: ChappieJSONValue], String)] {
      let plain = Body.request(input("Hello"), Self.lite.merging(changes) { $1 })
      let refused = try await wire.respond(plain, headers: [Self.mark: mark])
      #expect(refused.refusal == "404 Model not found gpt-6-sol", "\(changes)")
    }
    let lite = try await wire.respond(Body.request(input("Hello"), Self.lite), headers: [Self.mark: "true"])
    #expect(lite.events.text == "Fine.")
    // A model that does not require the lite form accepts the plain one.
    wire.backend.restoreModel("gpt-5.5")
    #expect(try await wire.respond(Body.request([Body.user("Hello")], ["model": "gpt-5.5"])).status == 200)
  }

  @Test func readsTheMarkOfAWebSocketFromTheRequest() async throws {
    let wire = try await Wire()
    try wire.backend.play(#"[{"endpoint": "responses", "requires_lite": true, "times": "always"}]"#)
    let socket = try await wire.socket()
    let refused = try await socket.create(Body.request(input("Hello"), Self.lite))
    #expect(refused.last?["type"] == "error")
    #expect(refused.last?["status"]?.integerValue == 404)
    let mark: ChappieJSONValue = ["ws_request_header_x_openai_internal_codex_responses_lite": "true"]
    let taken = try await socket.create(
      Body.request(input("Hello"), Self.lite.merging(["client_metadata": mark]) { $1 }))
    #expect(taken.last?["type"] == "response.completed")
  }
}
