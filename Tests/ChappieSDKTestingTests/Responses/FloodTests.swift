// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// Answers that exceed the limits of a client.
@Suite @GLibActor struct FloodTests {
  private nonisolated static let kinds = [
    ("text", "response.output_text.delta"), ("calls", "response.output_item.done"),
    ("thoughts", "response.output_item.done"), ("unknown", "response.unknown"),
  ]

  @Test(arguments: kinds)
  func sendsTheGivenNumberOfEventsAndTheEnd(_ kind: String, _ type: String) async throws {
    let wire = try await Wire()
    try wire.backend.play(
      #"[{"endpoint": "responses", "flood": {"of": "\#(kind)", "size": 5, "count": 3}, "times": 2}]"#)
    let expected = [type, type, type, "response.completed"]
    let answer = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(answer.events.map { $0["type"]?.stringValue } == expected)
    #expect(answer.text.contains("xxxxx"))
    #expect(try await wire.socket().create(Body.request([Body.user("Hello")])).types == expected)
    await wire.backend.stop()
  }

  @Test func sendsAnEventWithoutAnEnd() async throws {
    let wire = try await Wire()
    try wire.backend.play(
      #"[{"endpoint": "responses", "flood": {"of": "event", "size": 5, "count": 3}, "times": 2}]"#)
    let answer = try await wire.respond(Body.request([Body.user("Hello")]))
    #expect(answer.text == "data: xxxxxxxxxxxxxxx")
    let socket = try await wire.socket()
    socket.send(Body.frame(Body.request([Body.user("Hello")])))
    let message = try #require(try await socket.frames { _ in false }.first)
    #expect(message["delta"] == .string(String(repeating: "x", count: 15)))
    await wire.backend.stop()
  }

  @Test func anEndlessFloodEndsWithItsConnection() async throws {
    let wire = try await Wire()
    try wire.backend.play(#"[{"endpoint": "responses", "flood": {"of": "text"}}]"#)
    // The client of this test stops reading at its length limit.
    await #expect(throws: GLibError.self) { try await wire.respond(Body.request([Body.user("Hello")])) }
    #expect(try await wire.respond(Body.request([Body.user("Hello")])).events.last?.type == "response.completed")
    await wire.backend.stop()
  }

  @Test(arguments: [#""text""#, "{}", #"{"of": "water"}"#, #"{"of": "text", "size": 0}"#])
  func refusesInvalidFloods(_ flood: String) async throws {
    let wire = try await Wire()
    #expect(throws: StandInScenarioError.self) {
      try wire.backend.play(#"[{"endpoint": "responses", "flood": \#(flood)}]"#)
    }
    await wire.backend.stop()
  }
}
