// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

/// What calls of tools wait for, in each order in which it may come.
@GLibActor
struct TurnCallsTests {
  private let calls = TurnCalls()
  private let result = ChappieToolResult(output: "12345")

  @Test func aDecisionMayComeBeforeItIsAwaited() async throws {
    calls.began("a")
    calls.asks(ChappieApprovalRequest(callID: "a", toolName: "t", arguments: "{}"))
    #expect(calls.status == "waiting-for-approval" && calls.approvalRequest(of: "a")?.toolName == "t")
    #expect(throws: BusError.self) { try calls.submit(result, for: "a") }
    try calls.resolve(.deny(reason: "no"), for: "a")
    #expect(calls.status == "waiting-for-tool" && calls.approvalRequest(of: "a") == nil)
    #expect(throws: BusError.self) { try calls.resolve(.approve, for: "a") }
    #expect(throws: BusError.self) { try calls.submit(result, for: "a") }
    #expect(await calls.approval(of: "a") == .deny(reason: "no"))
    // No decision counts twice.
    #expect(await calls.approval(of: "a") == .denied())
  }

  @Test func aResultMayComeBeforeItIsAwaited() async throws {
    calls.began("a")
    #expect(calls.offer(result, for: "a") && !calls.offer(result, for: "a"))
    #expect(calls.earlyBytes == 5)
    #expect(try await calls.result(of: "a").output == "12345")
    #expect(calls.earlyBytes == 0 && !calls.offer(result, for: "a"))
    calls.ended("a")
    #expect(calls.knows("a") && calls.status == nil && !calls.offer(result, for: "a"))
    await #expect(throws: CancellationError.self) { try await calls.result(of: "a") }
  }
}
