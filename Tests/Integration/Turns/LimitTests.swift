// SPDX-License-Identifier: Apache-2.0

/// The limits of one program.
@Suite(.worlds) @GLibActor
struct LimitTests {
  @Test(arguments: World.Plan.Transport.allCases)
  func aRequestHoldsAtMostFourMebibytes(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    let most = String(repeating: "x", count: 4 << 20)
    // No model of the stand-in has a context window of this size.
    let answer = #"{"type":"response.completed","response":{"id":"r"}}"#
    try await world.sandbox.play(#"[{"endpoint":"responses","events":[\#(answer)]}]"#)
    #expect(try await caller.send(most) == "")
    #expect(try await world.sandbox.state().lastInput == ["user: \(most)"])
    try await expectRefusal("LimitExceeded", saying: "\(4 << 20)") { try await caller.send(most + "x") }
    try await expectRefusal("LimitExceeded") { try await caller.stream(most + "x") }
    // The texts of a call count together, in bytes.
    let half = String(repeating: "ü", count: 1 << 20)
    let messages = [Message("user", half), Message("assistant", half), Message("user", "x")]
    try await expectRefusal("LimitExceeded") {
      try await caller.call("Client.Respond", messages, VariantDictionary())
    }
    #expect(try await caller.send("still here").contains("still here"))
  }

  @Test(arguments: World.Plan.Transport.allCases)
  func atMost64TurnsCanRun(over transport: World.Plan.Transport) async throws {
    let (world, caller) = try await World.signedIn(transport)
    _ = try await caller.send("warm up")
    let before = try await descriptorsAtRest(world)
    let other = try await world.caller()
    var turns: [Turn] = []
    for number in 0..<64 {
      turns.append(try await (number.isMultiple(of: 2) ? caller : other).stream("turn \(number)"))
    }
    for (number, turn) in turns.enumerated() {
      let answer = try await turn.end().answer.text
      #expect(answer == "You said: “turn \(number)” This conversation has 1 message.")
      #expect(try turn.deltas.map(\.text).joined() == answer)
    }
    try await world.sandbox.closeSockets()
    try await eventually("the connections to be closed") { try world.service.openDescriptors() <= before }

    try await world.sandbox.play(#"[{"endpoint":"responses","hang":true,"times":"always"}]"#)
    turns = []
    for _ in 0..<64 { turns.append(try await caller.stream("hi")) }
    try await expectRefusal("LimitExceeded") { try await caller.stream("hi") }
    try await expectRefusal("LimitExceeded") { try await caller.send("hi") }
    try await eventually("64 requests") { try await world.sandbox.state().requests["responses"] == 129 }
    #expect(try await world.sandbox.state().openSockets == (transport == .webSocket ? 64 : 0))
    try await world.sandbox.play("[]")
    try await expectRefusal("LimitExceeded") { try await other.send("hi") }
    #expect(try await world.otherProgram().send("from another").contains("from another"))
    for turn in turns { try await turn.cancel() }
    for turn in turns { #expect(try await turn.end().failure.name == "Cancelled") }
    #expect(try await caller.send("again").contains("again"))
    try await world.sandbox.closeSockets()
    try await eventually("the connections to be closed") { try world.service.openDescriptors() <= before }
  }

  /// No turn waits any longer for the handshakes that are under way.
  @Test func turnsCancelledInTheirHandshakesLeaveNoDescriptors() async throws {
    let (world, caller) = try await World.signedIn()
    _ = try await caller.send("warm up")
    let before = try await descriptorsAtRest(world)
    try await world.sandbox.closeSockets()
    // On a busy machine a turn may go on over HTTP.
    try await world.sandbox.play(
      #"""
      [{"endpoint":"handshake","hang":true,"times":"always"},{"endpoint":"responses","hang":true,"times":"always"}]
      """#)
    var turns: [Turn] = []
    for _ in 0..<64 { turns.append(try await caller.stream("hi")) }
    try await eventually("64 handshakes") { try await world.sandbox.state().requests["handshake"] ?? 0 >= 65 }
    for turn in turns { try await turn.cancel() }
    for turn in turns { #expect(try await turn.end().failure.name == "Cancelled") }
    try await world.sandbox.closeSockets()
    try await eventually("the connections to be closed") { try world.service.openDescriptors() <= before }
    try await world.sandbox.play("[]")
    #expect(try await caller.send("again").contains("again"))
  }

  /// The number of the service's descriptors while it is idle.
  private func descriptorsAtRest(_ world: World) async throws -> Int {
    try await world.sandbox.closeSockets()
    try await eventually("the stand-in's streams to be closed") { try await world.sandbox.state().openStreams == 0 }
    return try world.service.openDescriptors()
  }
}
