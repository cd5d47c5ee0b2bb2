// SPDX-License-Identifier: Apache-2.0

/// Receivers of a turn's signals: the caller alone, or every caller when it asks for a broadcast.
@Suite(.worlds) @GLibActor
struct BroadcastTests {
  private let signals = ["TextDelta", "Completed", "Failed"]

  @Test func aTurnIsSignalledToItsCallerAlone() async throws {
    let world = try await World.begin()
    let listener = try await world.caller()
    let caller = try await world.signedInCaller()
    let turn = try await caller.stream("a secret")
    _ = try await turn.end()
    try await world.sandbox.stall(times: "1")
    let failing = try await caller.stalledTurn()
    try await failing.cancel()
    _ = try await failing.end()
    try await listener.catchUp()
    for signal in signals { #expect(listener.signals(signal).isEmpty) }
    #expect(!listener.signals.contains { "\($0.arguments)".contains("a secret") })
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func aBroadcastReachesEveryCallerOnce(over transport: World.Plan.Transport) async throws {
    let world = try await World.begin(World.Plan(transport: transport))
    let listener = try await world.caller()
    let caller = try await world.signedInCaller()
    let turn = try await caller.stream("hear hear", ["broadcast": true])
    let (text, details) = try await turn.end().answer
    try await listener.catchUp()
    for hearer in [caller, listener] {
      let heard = Turn(id: turn.id, path: .chappie, caller: hearer)
      #expect(try heard.deltas.map(\.text).joined() == text)
      #expect(try heard.deltas.first?.offset == 0)
      #expect(heard.endCount == 1)
      #expect(try await heard.end().answer.details == details)
    }

    try await world.sandbox.play(#"[{"endpoint":"responses","status":400}]"#)
    let failing = try await caller.stream("hi", ["broadcast": true])
    #expect(try await failing.end().failure.name == "HTTPError")
    try await listener.catchUp()
    for hearer in [caller, listener] { #expect(hearer.signals("Failed").count == 1) }

    // `Send` replies, and its signals are broadcast.
    let answer = try await caller.send("aloud", ["broadcast": true])
    try await listener.signal("Completed") { try $0.arguments.member(1, "text", as: String.self) == answer }
    let client = try await caller.open("Client", transport.impatient)
    try await world.sandbox.play(#"[{"endpoint":"responses","drop_after":1}]"#)
    try await expectRefusal("Network") { try await caller.send("aloud", ["broadcast": true], at: client) }
    try await listener.catchUp()
    #expect(listener.signals("Completed").count == 2)
    #expect(listener.signals("Failed").count == 2)
  }
}
