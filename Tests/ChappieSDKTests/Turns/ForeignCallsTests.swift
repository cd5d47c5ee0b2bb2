// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

/// The handling of calls that no tool here can run.
struct ForeignCallsTests {
  private static let message: ChappieJSONValue = ["type": "message", "content": []]
  private static let thought: ChappieJSONValue = ["type": "reasoning", "encrypted_content": "x"]

  private static func item(_ type: String, _ id: String = "call_1") -> ChappieJSONValue {
    ["type": .string(type), "call_id": .string(id)]
  }

  @Test func keepsAndAnswersACustomCall() {
    let call: ChappieJSONValue = ["type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "x"]
    let calls = ForeignCalls(among: [Self.thought, call])
    #expect(calls.kept == [Self.thought, call])
    #expect(calls.omittedKind == nil && calls.havePlainIDs)
    guard case .toolOutput("call_1", let output, _, true)? = calls.outputs.first else {
      Issue.record("no answer")
      return
    }
    #expect(!output.isEmpty)
  }

  @Test(arguments: ["local_shell_call", "computer_call", "what_comes_next"])
  func omitsAnUnanswerableCall(_ type: String) {
    let calls = ForeignCalls(among: [Self.thought, Self.message, Self.thought, Self.item(type)])
    #expect(calls.kept == [Self.thought, Self.message])
    #expect(calls.omittedKind == type)
    #expect(calls.outputs.isEmpty)
  }

  @Test func keepsCallsRunByTheBackendAndOfFunctions() {
    let items: [ChappieJSONValue] = [
      Self.item("tool_search_call"), Self.item("tool_search_output"),
      ["type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"],
      ["type": "web_search_call", "status": "completed"], ["type": "compaction"],
    ]
    let calls = ForeignCalls(among: items)
    #expect(calls.kept == items && calls.outputs.isEmpty && calls.omittedKind == nil)
  }

  @Test(arguments: ["", "two words", "eyJabc.def"])
  func detectsAnInvalidCallID(_ id: String) {
    #expect(!ForeignCalls(among: [Self.item("custom_tool_call", id)]).havePlainIDs)
  }
}
