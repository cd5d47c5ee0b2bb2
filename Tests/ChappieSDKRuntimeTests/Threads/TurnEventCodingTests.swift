// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Foundation
import Testing

@testable import ChappieSDKRuntime

/// The JSON of threads, which later versions must read.
@Suite
struct TurnEventCodingTests {
  private static let events: [ChappieTurnEvent] = [
    .input(.user("What is a bus?", fastMode: true)),
    .input(
      ChappieInputMessage(
        role: .developer, text: "Ünïcode 🚌",
        options: ChappieMessageOptions(
          reasoningEffort: .high, model: "gpt-6-sol", instructions: "Be short.", outputSchema: ["type": "object"]))),
    .output(text: "A bus.\n", model: "gpt-5.5", responseID: "resp_1"),
    .toolCall(callID: "call_1", name: "clock", arguments: #"{"zone":"UTC"}"#),
    .toolOutput(callID: "call_1", name: "clock", status: .denied, output: "no"),
    .payload(["type": "reasoning", "encrypted_content": "abc", "summary": []]),
    .error(name: "network", message: "The backend could not be used."),
    .compaction(summary: "They spoke of buses."),
  ]

  @Test(arguments: events)
  func eventsSurviveEncoding(_ event: ChappieTurnEvent) throws {
    #expect(ChappieTurnEvent(jsonValue: try ChappieJSONValue(json: event.jsonValue.json)) == event)
    #expect(try JSONDecoder().decode(ChappieTurnEvent.self, from: JSONEncoder().encode(event)) == event)
  }

  @Test func kindsMatchTheDocumentation() {
    #expect(
      Self.events.map { $0.jsonValue["kind"] } == [
        "input", "input", "output", "tool-call", "tool-output", "payload", "error", "compaction",
      ])
  }

  @Test(arguments: [
    #"{"kind":"hologram","text":"from later"}"#, #"{"kind":"output","text":{"parts":[]}}"#,
    #"{"kind":"tool-output","callID":"c","name":"n","status":"postponed","output":""}"#, #"{}"#, "7",
  ])
  func eventsOfALaterVersionArePreserved(_ json: String) throws {
    let value = try ChappieJSONValue(json: json)
    let turn = try ChappieTurn(jsonValue: ["id": "t", "recordedAt": 1, "events": [value, Self.events[2].jsonValue]])
    #expect(turn.events == [.other(value), Self.events[2]])
    #expect(turn.jsonValue["events"]?[0] == value)
  }

  @Test func threadsSurviveEncoding() throws {
    let thread = ChappieThread(
      summary: ChappieThreadSummary(
        id: "t-1", title: "Buses", createdAtSeconds: 1, updatedAtSeconds: 2, archivedAtSeconds: 3, turnCount: 1,
        bytes: 5 << 32),
      turns: [ChappieTurn(id: "u", recordedAtSeconds: 2, events: Self.events)],
      damage: [ChappieThreadDamage(offset: 9, reason: "torn")])
    #expect(try ChappieThread(jsonValue: ChappieJSONValue(json: thread.json)) == thread)
    #expect(try JSONDecoder().decode(ChappieThread.self, from: Data(thread.json.utf8)) == thread)
    var active = thread
    active.summary.archivedAtSeconds = nil
    #expect(try ChappieThread(jsonValue: ChappieJSONValue(json: active.json)) == active)
  }

  @Test func theErrorNamesAMissingField() {
    let error = #expect(throws: ChappieClientError.self) { try ChappieTurn(jsonValue: ["id": "t"]) }
    #expect(error?.description.contains("'recordedAt'") == true)
  }
}
