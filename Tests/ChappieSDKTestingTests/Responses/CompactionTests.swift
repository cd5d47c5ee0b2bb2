// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// Compaction, section 5.4 of the protocol, and the limit of the context window.
@Suite @GLibActor struct CompactionTests {
  private let history = [
    Body.user("One"), Body.assistant("You said: “One”"), Body.user("Two"), Body.assistant("You said: “Two”"),
  ]
  private let trigger: ChappieJSONValue = ["type": "compaction_trigger"]

  @Test func compactsAConversation() async throws {
    let wire = try await Wire()
    let include: [String: ChappieJSONValue] = ["include": ["reasoning.encrypted_content"]]
    let answer = try await wire.respond(Body.request(history + [trigger], include))
    #expect(answer.events.types.last == "response.completed")
    let compaction = try #require(answer.events.items.first)
    #expect(answer.events.items.count == 1)
    #expect(compaction.type == "compaction")
    #expect(compaction["id"]?.stringValue?.hasPrefix("cmp_") == true)

    let next = try await wire.respond(Body.request([Body.user("Two"), compaction, Body.user("Three")]))
    #expect(
      next.events.text
        == "You said: “Three” This conversation has 2 messages. A summary stands for 4 earlier messages.")

    let again = try await wire.respond(Body.request([Body.user("Two"), compaction, Body.user("Three"), trigger]))
    let second = try #require(again.events.items.first)
    let last = try await wire.respond(Body.request([second, Body.user("Four")]))
    #expect(
      last.events.text == "You said: “Four” This conversation has 1 message. A summary stands for 6 earlier messages.")

    let alias: ChappieJSONValue = [
      "type": "compaction_summary", "encrypted_content": try #require(second["encrypted_content"]),
    ]
    #expect(try await wire.respond(Body.request([alias, Body.user("Four")])).status == 200)
  }

  @Test func anInputLargerThanTheContextWindowFails() async throws {
    let wire = try await Wire { $0.contextWindow = 100 }
    let long = Body.request([Body.user(String(repeating: "long ", count: 100))])
    let overHTTP = try await wire.respond(long)
    #expect(overHTTP.status == 200)
    let socket = try await wire.socket()
    let overSocket = try await socket.create(long)
    for events in [overHTTP.events, overSocket] {
      #expect(events.types.last == "response.failed")
      #expect(events.last?["response", "error", "code"] == "context_length_exceeded")
      #expect(events.items.isEmpty)
    }
    let failed = ChappieJSONValue.string(try #require(overSocket.responseID))
    let next = try await socket.create(Body.request([Body.user("Hi")]), ["previous_response_id": failed])
    #expect(next.first?["error", "code"] == "previous_response_not_found")

    #expect(try await wire.respond(Body.request([Body.user("Hi")])).events.types.last == "response.completed")
    let models =
      try await wire.send(.get, "/backend-api/codex/models?client_version=1").json["models"]?.arrayValue ?? []
    #expect(models.allSatisfy { $0["context_window"]?.integerValue == 100 })
  }
}
