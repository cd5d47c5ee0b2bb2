// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// The user's own names for models, in `chappie.conf`.
@Suite(.worlds) @GLibActor
struct ModelNameTests {
  private nonisolated static let plan = World.Plan(
    configuration: "[Client]\nModel=best\n[Models]\nbest=gpt-6-sol\nfast=gpt-6-luna\n")

  @Test func aQuestionMayUseAnotherName() async throws {
    let lines = ["--model fast", "--thread new -m fast", "--continue -m fast"]
    try await World.signedIn(Self.plan, each: lines) { world, _, words in
      let output = try await world.shell(#""$0" ask \#(words) --json Hello | grep -c '"model":"gpt-6-luna"'"#)
      #expect(output.text == "1\n")
    }
  }

  @Test func theDefaultAndASelectionMayUseAnotherName() async throws {
    try await World.signedIn(Self.plan) { world, caller in
      #expect(try await caller.property("Client.Model") == "gpt-6-sol")
      #expect(try await caller.property("Client.ModelSource") == "chosen")
      _ = try await caller.send("hi")
      #expect(try await world.sandbox.state().lastResponsesRequest.body?.model == "gpt-6-sol")
      try await caller.call("Client.SelectModel", "fast")
      #expect(try await caller.property("Client.Model") == "gpt-6-luna")
      let chat = try await world.chappie("chat", "--model", "best", input: "/model\n/model fast\n")
      #expect(chat.text == "gpt-6-sol\ngpt-6-luna answers from now on.\n")
      let json = try await world.shell(#""$0" models --json | grep -c '^{"slug":"gpt-6-luna","aliases":\["fast"\],'"#)
      #expect(json.text == "1\n")
      let table = try await world.shell(#""$0" models | grep -F 'GPT-6-Luna, fast ' | wc -l"#)
      #expect(table.text == "1\n")
    }
  }

  @Test func theOfferedModelsAreASentenceOfTheirOwn() async throws {
    try await World.signedIn(each: ["", "."]) { world, caller, end in
      try await world.sandbox.play(
        """
        [{"endpoint":"responses","status":404,"times":"always",
          "body":{"error":{"code":"model_not_found","message":"The model does not exist\(end)"}}}]
        """)
      let error = try await refusal { try await caller.send("hi", ["model": "gpt-0"]) }
      #expect(error.message.contains("does not exist. Choose one that is offered: gpt-"), "\(error)")
    }
  }
}
