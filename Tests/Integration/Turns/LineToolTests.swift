// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// Tools and approvals on the socket of a turn.
@Suite(.worlds) @GLibActor
struct LineToolTests {
  /// A turn that waits for the result of a call.
  private func waitingLine(_ caller: Caller) async throws -> (line: Line, call: String) {
    let line = try await caller.ask("use ask", ["tools": [Tools.named("ask")]])
    return (line, try #require(try await line.next("tool-call-requested").text("call")))
  }

  @Test func aToolIsCalledAndAnswered() async throws {
    let (_, caller) = try await World.signedIn()
    let line = try await caller.ask(#"use weather {"city":"Oslo"}"#, ["tools": [Tools.weather]])
    let request = try await line.next("tool-call-requested")
    #expect(request.text("name") == "weather")
    #expect(request.text("arguments") == #"{"city":"Oslo"}"#)
    #expect(request.text("policy") == "automatic")
    let call = try #require(request.text("call"))
    line.write(["tool_result": ["call": .string(call), "output": "Rain."]])
    let completed = try await line.next("tool-call-completed")
    #expect(completed.text("call") == call)
    #expect(completed.text("status") == "completed")
    #expect(completed.text("output") == "Rain.")
    #expect(completed["duration_ms"]?.integerValue != nil)
    #expect(try await line.end().text("text")?.contains("Rain.") == true)

    let (failing, failed) = try await waitingLine(caller)
    failing.write(["tool_result": ["call": .string(failed), "output": "Nobody is here.", "status": "failed"]])
    #expect(try await failing.next("tool-call-completed").text("status") == "failed")
    #expect(try await failing.end().name == "completed")

    // An answer may have come from a notification or another program just before.
    let (late, answered) = try await waitingLine(caller)
    try await caller.submit("Yes", for: answered, of: late.turn)
    late.write(["tool_result": ["call": .string(answered), "output": "No"]])
    let end = try await late.end()
    #expect(end.name == "completed")
    #expect(end.text("text")?.contains("Yes") == true)

    let (wrong, _) = try await waitingLine(caller)
    wrong.write(["tool_result": ["call": "call_of_nobody", "output": "No"]])
    #expect(try await wrong.end().errorName == "InvalidArgument")
  }

  @Test func anApprovalIsGivenOrDenied() async throws {
    try await World.signedIn(each: [true, false]) { _, caller, isApproved in
      let line = try await caller.ask("use delete", ["tools": [Tools.named("delete", policy: "ask")]])
      let request = try await line.next("approval-requested")
      #expect(request.text("name") == "delete")
      let call = try #require(request.text("call"))
      line.write(["approval": ["call": .string(call), "approved": .bool(isApproved), "reason": "because"]])
      if isApproved { line.write(["tool_result": ["call": .string(call), "output": "gone"]]) }
      let result = try await line.next("tool-call-completed")
      #expect(result.text("status") == (isApproved ? "completed" : "denied"))
      #expect(result.text("output")?.contains(isApproved ? "gone" : "because") == true)
      #expect(try await line.end().name == "completed")
    }
  }

  /// Somebody else may be at the screen. The question stays open.
  @Test func nothingIsApprovedWhileLocked() async throws {
    let (_, caller, saver) = try await World.withScreen()
    let line = try await caller.ask("use delete", ["tools": [Tools.named("delete", policy: "ask")]])
    let call = try #require(try await line.next("approval-requested").text("call"))
    let answer: ChappieJSONValue = ["approval": ["call": .string(call), "approved": true]]
    try await saver.lock(caller)
    line.write(answer)
    let again = try await line.next("approval-requested")
    #expect(again.text("call") == call)
    #expect(again.errorName == "Locked")
    try await saver.unlock(caller)
    line.write(answer)
    line.write(["tool_result": ["call": .string(call), "output": "gone"]])
    #expect(try await line.next("tool-call-completed").text("status") == "completed")
    _ = try await line.end()

    // Many answers are refused a few times, and end the turn.
    let hasty = try await caller.ask("use delete", ["tools": [Tools.named("delete", policy: "ask")]])
    let next = try #require(try await hasty.next("approval-requested").text("call"))
    try await saver.lock(caller)
    let approval: ChappieJSONValue = ["approval": ["call": .string(next), "approved": true]]
    hasty.write(String(repeating: approval.json + "\n", count: 1100))
    #expect(try await hasty.end().errorName == "LimitExceeded")
    #expect((1...10).contains(hasty.events.filter { $0.errorName == "Locked" }.count))
  }

  /// A denial needs no user, so a refused approval before it takes nothing from it.
  @Test func aDenialCountsRightAfterARefusedApproval() async throws {
    let (world, caller, saver) = try await World.withScreen()
    try await world.sandbox.callTools(
      #"[{"name":"t","call_id":"c0"},{"name":"t","call_id":"c1"},{"name":"t","call_id":"c2"}]"#)
    let line = try await caller.ask("Go on", ["tools": [Tools.named("t", policy: "ask")]])
    for _ in 0..<3 { _ = try await line.next("approval-requested") }
    try await saver.lock(caller)
    let answers = [("c0", true), ("c0", false), ("c1", false), ("c2", true)].map { call, isApproved in
      #"{"approval":{"call":"\#(call)","approved":\#(isApproved)}}"# + "\n"
    }
    line.write(answers.joined())
    var refused: [String] = []
    var denied: [String] = []
    while refused.count < 2 || denied.count < 2, let event = try await line.next() {
      if event.name == "approval-requested", event.errorName == "Locked" { refused.append(event.text("call") ?? "") }
      if event.name == "tool-call-completed" { denied.append(event.text("call") ?? "") }
    }
    #expect(refused == ["c0", "c2"])
    #expect(denied.sorted() == ["c0", "c1"])
    line.write(["cancel": true])
    #expect(try await line.end().name == "failed")
  }

  /// Outputs that nobody reads pause the turn, and do not keep it from ending.
  @Test func aPausedTurnWithToolsIsCancelled() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.callTools(
      #"[{"name":"t","call_id":"c0"},{"name":"t","call_id":"c1"},{"name":"t","call_id":"c2"}]"#)
    let line = try await caller.ask("Go on", ["tools": [Tools.named("t")]])
    try await line.turn.wait(for: "waiting-for-tool")
    for call in ["c0", "c1"] {
      line.write([
        "tool_result": ["call": .string(call), "output": .string(String(repeating: "x", count: 200_000))]
      ])
    }
    try await eventually("one open call") { try await line.turn.snapshot().status == "waiting-for-tool" }
    line.write(["cancel": true])
    try await line.turn.wait(for: "cancelled")
  }

  /// Results that come before they are waited for count for the caller's memory.
  @Test func earlyResultsAreBounded() async throws {
    let (world, caller) = try await World.signedIn()
    let witness = try await MemoryWitness(world)
    let calls = (0..<20).map { #"{"name":"t","call_id":"c\#($0)"}"# }.joined(separator: ",")
    try await world.sandbox.callTools("[\(calls)]")
    let line = try await caller.ask("Go on", ["tools": [Tools.named("t", policy: "ask")]])
    for _ in 0..<20 { _ = try await line.next("approval-requested") }
    let output = String(repeating: "x", count: 4 << 20)
    for number in 0..<20 { line.write(#"{"tool_result":{"call":"c\#(number)","output":"\#(output)"}}"# + "\n") }
    #expect(try await line.end().errorName == "LimitExceeded")
    try await witness.expectHealthyService()
  }
}
