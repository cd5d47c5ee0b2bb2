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
  }
}
