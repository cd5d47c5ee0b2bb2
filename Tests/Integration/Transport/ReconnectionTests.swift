// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

/// A WebSocket that drops during an answer is reopened. Its caller gets no text twice.
@Suite(.worlds) @GLibActor
struct ReconnectionTests {
  private static let text = "Zwölf 日本 👩‍👩‍👧 e\u{301} fünf"

  /// The rule of an answer, with more keys.
  private func answer(_ text: String = text, _ more: String = "") -> String {
    #"{"endpoint":"responses","text":"\#(text)"\#(more)}"#
  }

  private func expectOnce(_ text: String, _ turn: Turn) throws {
    let deltas = try turn.deltas
    #expect(deltas.map(\.text).joined() == text)
    var offset = 0
    for delta in deltas {
      #expect(delta.offset == offset)
      offset += delta.text.utf8.count
    }
    #expect(turn.endCount == 1)
  }

  // MARK: Replays

  /// The replay may be interrupted too, before and after the position of the first drop.
  @Test func dropsAreInvisibleToTheCaller() async throws {
    try await World.signedIn(each: [[0], [1], [3, 1, 4]]) { world, caller, drops in
      let rules = drops.map { answer(Self.text, #","drop_after":\#($0)"#) } + [answer()]
      try await world.sandbox.play("[\(rules.joined(separator: ","))]")
      let turn = try await caller.stream("hi")
      #expect(try await turn.end().answer.text == Self.text)
      try expectOnce(Self.text, turn)
      let state = try await world.sandbox.state()
      #expect(state.requests["handshake"] == drops.count + 1)
      #expect(state.requests["responses"] == drops.count + 1)
      #expect(state.lastResponsesRequest.transport == "websocket")
    }
  }

  /// The replay is another answer, or ends too early.
  @Test func aDivergentReplayEndsTheTurn() async throws {
    try await World.signedIn(each: ["one zwei three", "on", "one tw"]) { world, caller, replay in
      try await world.sandbox.play("[\(answer("one two three", #","drop_after":2"#)),\(answer(replay))]")
      let turn = try await caller.stream("hi")
      let failure = try await turn.end().failure
      #expect(failure.name == "StreamingTransportReplayDiverged")
      #expect(failure.message.contains("ask again"))
      #expect(failure.details.text("partial_text") == "one two")
      try expectOnce("one two", turn)
      #expect(try await turn.snapshot().status == "failed")
      #expect(try await world.sandbox.state().requests["responses"] == 2)
      #expect(try await caller.send("again").contains("again"))
    }
  }

  // MARK: Giving up

  /// It can be cancelled while it waits for the next attempt, too.
  @Test func aReconnectingTurnCanBeCancelled() async throws {
    try await World.signedIn { world, caller in
      try await world.sandbox.play("[\(answer("one two three", #","drop_after":2,"times":"always""#))]")
      let turn = try await caller.stream("hi")
      try await eventually("a second attempt") { try await world.sandbox.state().requests["responses"] ?? 0 > 1 }
      try await turn.cancel()
      let failure = try await turn.end().failure
      #expect(failure.name == "Cancelled")
      #expect(failure.details.text("partial_text") == "one two")
      try expectOnce("one two", turn)
    }
  }
}
