// SPDX-License-Identifier: Apache-2.0

/// Running and ended turns.
@Suite(.worlds) @GLibActor
struct RunningTurnTests {
  /// A caller learns the turn's id before the first signal that has it.
  @Test func theReplyPrecedesTheSignalsOfItsTurn() async throws {
    let world = try await World.begin()
    let caller = try await world.caller()
    // Without a sign-in a turn fails before anything has to be waited for.
    let failures = try await BusCapture(world.directories)
    for number in 0..<20 { _ = try await caller.stream("hello", ["turn": "early-\(number)"]).end() }
    try await failures.end()
    let early = try failures.messages()
    for number in 0..<20 {
      // The name is also in the call, and with a length before it in every string.
      let ofTurn = early.filter {
        $0.contains("early-\(number)\0") && $0.type != BusCapture.Message.call && !$0.contains("PropertiesChanged")
      }
      #expect(ofTurn.map(\.type) == [BusCapture.Message.reply, BusCapture.Message.signal])
    }
  }

  @Test func theLastThirtyTwoTurnsAreKept() async throws {
    let (_, caller) = try await World.signedIn()
    var turns: [Turn] = []
    for number in 0..<33 {
      turns.append(try await caller.stream("\(number)"))
      _ = try await turns[number].end()
    }
    try await expectRefusal("NoSuchTurn") { try await turns[0].snapshot() }
    #expect(try await turns[1].snapshot().text.contains("“1”"))
    #expect(Set(turns.map(\.id)).count == 33)
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aTurnIsListedReadAndCancelled(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    func activeTurns() async throws -> [String] { try await caller.property("Client.ActiveTurns") }
    #expect(try await activeTurns().isEmpty)
    try await world.sandbox.stall()
    let turn = try await caller.stalledTurn()
    #expect(try await activeTurns() == [turn.id])
    // A caller that has missed the text reads it.
    let running = try await turn.snapshot()
    #expect(running.status == "running")
    #expect(running.text == Sandbox.stalledText)
    #expect(running.details.isEmpty)
    try await turn.cancel()
    try? await turn.cancel()
    let failure = try await turn.end().failure
    #expect(failure.name == "Cancelled")
    #expect(failure.details.text("partial_text") == Sandbox.stalledText)
    #expect(turn.endCount == 1)
    let seen = try await turn.snapshot()
    #expect(seen.status == "cancelled")
    #expect(seen.text == Sandbox.stalledText)
    #expect(seen.details.text("error") == "org.chappie.Error.Cancelled")
    #expect(seen.details.text("message") == failure.message)
    try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
    try await eventually("no turn") { try await activeTurns().isEmpty }
    let changes = caller.signals("PropertiesChanged").map { "\($0.arguments)" }.filter { $0.contains("ActiveTurns") }
    #expect(changes.count == 2)
    #expect(changes.first?.contains(turn.id) == true)
    // An ended turn does not change.
    try await turn.cancel()
    try await caller.catchUp()
    #expect(turn.endCount == 1)

    try await world.sandbox.play("[]")
    let done = try await caller.stream("hi")
    let (text, details) = try await done.end().answer
    let kept = try await done.snapshot()
    #expect(kept.status == "completed")
    #expect(kept.text == text)
    #expect(kept.details == details)
  }
}
