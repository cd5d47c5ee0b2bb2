// SPDX-License-Identifier: Apache-2.0

/// Answers beyond the limits.
@Suite(.worlds) @GLibActor
struct EndlessAnswerTests {
  private static let answerLimit = 4 << 20

  @Test(arguments: World.Plan.Transport.allCases)
  func anAnswerEndsAtItsLimits(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let bystander = try await MemoryWitness(world)
    try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"text"},"times":2}]"#)
    let turn = try await caller.stream("go on")
    let failure = try await turn.end().failure
    #expect(failure.name == "LimitExceeded")
    let partial = try #require(failure.details.text("partial_text"))
    #expect(partial.utf8.count <= Self.answerLimit)
    #expect(partial.utf8.count > Self.answerLimit - 32 << 10)
    #expect(try await turn.snapshot().text == partial)
    try await expectRefusal("LimitExceeded", "text") { try await caller.send("go on") }
    try await bystander.expectHealthyService()

    try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"calls","count":20000}}]"#)
    let tool: VariantDictionary = ["name": "flood"]
    try await expectRefusal("LimitExceeded", saying: "128") { try await caller.send("go on", ["tools": [tool]]) }
    try await bystander.expectHealthyService()

    try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"thoughts","size":65536}}]"#)
    try await expectRefusal("LimitExceeded", "reasoning") { try await caller.send("go on") }
    try await bystander.expectHealthyService()
  }

  /// The service keeps ended answers of the greatest length for `GetTurn`, within a bound.
  @Test func keptAnswersAreBounded() async throws {
    let (world, caller) = try await World.signedIn(.http)
    let bystander = try await MemoryWitness(world)
    try await world.sandbox.play(
      #"[{"endpoint":"responses","flood":{"of":"text","size":1048576,"count":3},"times":"always"}]"#)
    var turns: [Turn] = []
    for _ in 0..<20 {
      let turn = try await caller.stream("go on")
      #expect(try await turn.end().answer.text.utf8.count == 3 << 20)
      turns.append(turn)
    }
    #expect(try await turns[19].snapshot().text.utf8.count == 3 << 20)
    try await expectRefusal("NoSuchTurn") { try await turns[8].snapshot() }
    try await world.sandbox.play("[]")
    try await bystander.expectHealthyService()
  }

  /// Over a WebSocket such an event is one message of 64 MiB, which a debug build of the stand-in makes slowly.
  @Test(arguments: World.Plan.Transport.allCases)
  func anEndlessEventEndsAnAnswer(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let bystander = try await MemoryWitness(world)
    let client = try await caller.open("Client", transport.reconnecting(1, fallsBack: true))
    try await world.sandbox.play(#"[{"endpoint":"responses","flood":{"of":"event"},"times":"always"}]"#)
    try await expectRefusal("Network") { try await caller.send("go on", at: client) }
    try await world.sandbox.play("[]")
    try await bystander.expectHealthyService()
  }
}
