// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// Approval of tool calls by the user of a Swift program.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct HostApprovalTests {
  private static let delete = ChappieHostTool.named("delete", policy: .ask)

  @Test(arguments: TestClient.policies)
  func approvedCallRuns(_ policy: ChappieStreamingTransportPolicy) async throws {
    let approve: ChappieToolApprovalHandler = { request in
      #expect(request.toolName == "delete")
      #expect(request.arguments == "{}")
      return .approved()
    }
    try await TestClient.with(policy, tools: [Self.delete], approval: approve) { tools in
      let events = try await tools.events("use delete")
      guard events.count == 5, case .toolCallRequested(let requested) = events[0],
        case .approvalRequested(let question) = events[1], case .toolCallCompleted(let result) = events[2]
      else { throw UnmetCondition("a result") }
      #expect(requested.policy == .ask)
      #expect(question == ChappieApprovalRequest(callID: requested.callID, toolName: "delete", arguments: "{}"))
      #expect(result.status == .completed)
      #expect(result.output == "delete done")
    }
  }

  @Test(arguments: [nil, "not today"])
  func deniedOrDisabledCallDoesNotRun(_ reason: String?) async throws {
    let (calls, asked) = (Counter(), Counter())
    let handler: ChappieHostTool.Handler = { _ in
      await calls.add()
      return ChappieToolResult(output: "done")
    }
    let deny: ChappieToolApprovalHandler = { _ in
      await asked.add()
      return .denied(reason: reason)
    }
    let tools = [
      ChappieHostTool.named("delete", policy: .ask, handler: handler),
      .named("format", policy: .deny, handler: handler),
    ]
    try await TestClient.with(tools: tools, approval: deny) { tools in
      let results = try await tools.results("use delete")
      #expect(results.map(\.status) == [.denied])
      #expect(results.first?.output == "The user did not allow this call" + (reason.map { ": \($0)" } ?? "."))
      // A tool that is switched off needs no question.
      #expect(try await tools.results("use format").map(\.status) == [.denied])
      #expect(await calls.count == 0)
      #expect(await asked.count == 1)
    }
  }

  @Test func unansweredApprovalIsDenied() async throws {
    try await TestClient.with { tools in
      let set = ToolSet(
        [ToolSet.Tool(Self.delete.manifest) { _ in ChappieToolResult(output: "done") }],
        approvalPatience: .milliseconds(50)
      ) { _ in
        await Wait().value()
        return .approved()
      }
      let caller = TurnCaller(interaction: .forbidden, tools: set) { _ in .proceed }
      let response = try await tools.client.run(.next(.user("use delete")), for: caller)
      #expect(
        response.outputText
          == "The tool delete said: The user did not allow this call: nobody answered in time.")
    }
  }

  @Test func cancellingDuringAnApprovalEndsTheTurn() async throws {
    let asked = Counter()
    let cancelled = Counter()
    let think: ChappieToolApprovalHandler = { _ in
      await asked.add()
      do { try await Task.sleep(for: .seconds(3600)) } catch { await cancelled.add() }
      return .approved()
    }
    try await TestClient.with(tools: [Self.delete], approval: think) { tools in
      let turn = Task { try await tools.client.send("use delete") }
      while await asked.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
      turn.cancel()
      await #expect(throws: CancellationError.self) { try await turn.value }
      while await cancelled.count == 0 { try await Task.sleep(for: .milliseconds(1)) }
      #expect(tools.backend.state.requests["responses"] == 1)
    }
  }
}
