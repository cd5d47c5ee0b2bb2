// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Failures of tools. The failure is reported to the model, and the turn goes on.
@Suite(.worlds) @GLibActor
struct HandlerFailureTests {
  /// The only call of a turn, which must have failed, and the model's answer.
  private func failedCall(of turn: Turn) async throws -> EndedCall {
    let text = try await turn.end().answer.text
    let ended = try #require(try turn.endedCalls.first)
    #expect(try turn.endedCalls.count == 1)
    #expect(ended.status == "failed")
    #expect(text.hasSuffix(" said: \(ended.output)"))
    #expect(turn.endCount == 1)
    return ended
  }

  @Test func invalidArgumentsNeverReachTheHandler() async throws {
    let (world, caller) = try await World.signedIn()
    let handler = try ToolHandler(caller) { _ in "never" }
    try await caller.register([Tools.weather, Tools.named("clock")], ToolHandler.path)
    let wrong = [
      (#"{"name":"weather","arguments":{"city":7}}"#, "city"), (#"{"name":"weather"}"#, "city"),
      (#"{"name":"weather","arguments":"{nope"}"#, "no JSON"),
      (#"{"name":"weather","arguments":"{\"city\":7,\"city\":\"Oslo\"}"}"#, "a name twice"),
      (#"{"name":"weather","arguments":"{\"city\":7,\"\\u0063ity\":\"Oslo\"}"}"#, "a name twice"),
      (#"{"name":"weather","arguments":"{\"city\":\"Oslo\",\"\\u00e9\":1,\"e\\u0301\":2}"}"#, "a name twice"),
      (#"{"name":"clock","arguments":{"zone":"UTC"}}"#, "zone"),
    ]
    for (call, reason) in wrong {
      try await world.sandbox.callTools("[\(call)]")
      let turn = try await caller.stream("go")
      let ended = try await failedCall(of: turn)
      // A caller that watches the signal could run the tool, so the call is not signalled either.
      #expect(try turn.requestedCalls.isEmpty)
      #expect(ended.output.hasPrefix("The arguments do not fit the tool's schema: "))
      #expect(ended.output.contains(reason), "\(ended.output)")
    }
    #expect(handler.calls.isEmpty)
  }

  @Test func aCallEndsAtItsTimeLimit() async throws {
    let (_, caller) = try await World.signedIn()
    let handler = try ToolHandler(caller) { _ in await forever() }
    try await caller.register([Tools.named("sleep", timeLimit: 1)], ToolHandler.path)
    let ended = try await failedCall(of: try await caller.stream("use sleep"))
    #expect(ended.output == "The tool did not answer within 1.0 seconds.")
    #expect(ended.milliseconds >= 1000)
    #expect(handler.calls.count == 1)
    // The limit also holds without a handler object.
    try await caller.register([Tools.named("sleep", timeLimit: 1)])
    let unanswered = try await caller.stream("use sleep")
    #expect(try await failedCall(of: unanswered).output == ended.output)
  }

  /// Only a broadcast turn outlives its caller.
  @Test func aHandlerThatHasLeftIsAFailure() async throws {
    let (world, stays) = try await World.signedIn()
    let dies = try await world.otherProgram()
    let handler = try ToolHandler(dies) { _ in await forever() }
    try await dies.register([Tools.named("look")], ToolHandler.path)
    let id = try await dies.stream("use look", ["broadcast": true]).id
    let turn = Turn(id: id, path: .chappie, caller: stays)
    try await handler.waitForCalls(1)
    #expect(try await turn.snapshot().status == "waiting-for-tool")
    kill(try await stays.connection.processID(of: dies.connection.uniqueName), SIGKILL)
    #expect(try await failedCall(of: turn).output.hasPrefix("The tool failed: "))
    #expect(try await turn.snapshot().status == "completed")

    // A handler may leave before its call.
    try await world.sandbox.play(#"[{"endpoint":"responses","delay_ms":500}]"#)
    var late = ""
    do {
      let leaves = try await Caller(world.directories.busAddress)
      try await leaves.register([Tools.named("look")], ToolHandler.path)
      late = try await leaves.stream("use look", ["broadcast": true]).id
    }
    _ = try await failedCall(of: Turn(id: late, path: .chappie, caller: stays))
  }

  @Test func aFailingHandlerEndsItsCallAlone() async throws {
    let (world, caller) = try await World.signedIn()
    try await world.sandbox.offerPlainModel()
    let handler = try ToolHandler(caller) { call in
      guard call.tool == "good" else { throw BusError(name: "org.example.Error.Bad", message: "It rains too hard.") }
      return "fine"
    }
    try await caller.register(["bad", "good"].map { Tools.named($0) }, ToolHandler.path)
    #expect(try await failedCall(of: try await caller.stream("use bad")).output.hasSuffix("It rains too hard."))
    #expect(handler.calls.count == 1)
    let turn = try await caller.stream("use bad\nuse good")
    #expect(try await turn.end().answer.text.hasSuffix("The tool good said: fine"))
    #expect(try turn.endedCalls.map(\.status).sorted() == ["completed", "failed"])
    #expect(handler.calls.count == 3)
    try await caller.register([Tools.named("look")], .root.appending("nowhere"))
    _ = try await failedCall(of: try await caller.stream("use look"))

    let other = try await world.caller()
    let wrong = try ToolHandler(other, type: "u") { _ in UInt32(7) }
    try await other.register([Tools.named("count")], ToolHandler.path)
    let ended = try await failedCall(of: try await other.stream("use count"))
    #expect(ended.output.contains("gave no text"), "\(ended.output)")
    #expect(wrong.calls.count == 1)
  }
}
