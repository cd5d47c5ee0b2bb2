// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// Answers that exceed the limits of a client.
@Suite @GLibActor struct FloodTests {
  @Test func sendsTheGivenNumberOfEventsAndTheEnd() async throws {
    let wire = try await Wire()
    for (kind, type) in [
      ("text", "response.output_text.delta"), ("calls", "response.output_item.done"),
      ("thoughts", "response.output_item.done"), ("unknown", "response.unknown"),
    ] {
      try wire.backend.play(
        #"[{"endpoint": "responses", "flood": {"of": "\#(kind)", "size": 5, "count": 3}, "times": 2}]"#)
      let expected = [type, type, type, "response.completed"]
      let answer = try await wire.respond(Body.request([Body.user("Hello")]))
      #expect(answer.events.map { $0["type"]?.stringValue } == expected)
      #expect(answer.text.contains("xxxxx"), "\(kind)")
      #expect(try await wire.socket().create(Body.request([Body.user("Hello")])).types == expected)
    }
  }
}
