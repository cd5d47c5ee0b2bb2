// SPDX-License-Identifier: Apache-2.0
import Foundation

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

  // MARK: Errors and times as Foundation types

  @Test func theLocalizedDescriptionIsTheDescription() {
    let full = ChappieThreadStoreError.full("The disk is full.")
    let response = ChappieResponse(outputText: "Hi", responseID: "r", model: "m", usage: ChappieTokenUsage())
    let errors: [any Error & CustomStringConvertible] = [full, ChappieRuntimeError.notStored(response, full)]
    for error in errors { #expect((error as any Error).localizedDescription == error.description) }
  }

  @Test func datesHaveFractionsOfASecond() {
    let (created, updated) = (Date(timeIntervalSince1970: 10.5), Date(timeIntervalSince1970: 20.25))
    var thread = ChappieThreadSummary(
      id: "a", createdAt: created, updatedAt: updated, archivedAt: Date(timeIntervalSince1970: 30))
    #expect((thread.createdAt, thread.updatedAt) == (created, updated))
    #expect((thread.createdAtSeconds, thread.createdAtMicroseconds) == (10, 500_000))
    #expect(thread.archivedAt == Date(timeIntervalSince1970: 30))
    thread.archivedAt = nil
    #expect(!thread.isArchived)
    let turn = ChappieTurn(id: "t", recordedAt: Date(timeIntervalSince1970: 40.125), events: [])
    #expect(turn.recordedAt == Date(timeIntervalSince1970: 40.125))
  }

  /// A store with `Date`s keeps each microsecond.
  @Test(arguments: [0, 1, 7, 499_999, 500_000, 999_998, 999_999] as [Int32])
  func datesKeepMicroseconds(_ microseconds: Int32) {
    let turn = ChappieTurn(
      id: "t", recordedAtSeconds: 1_893_456_000, recordedAtMicroseconds: microseconds, events: [])
    var copy = turn
    copy.recordedAt = turn.recordedAt
    #expect(copy == turn)
  }

  // MARK: Microseconds

  private let world = FileStoreWorld()

  @Test func aFileStoreKeepsMicroseconds() async throws {
    try await world.store().create(
      ChappieThreadSummary(
        id: "a", createdAtSeconds: 100, updatedAtSeconds: 100, createdAtMicroseconds: 1, updatedAtMicroseconds: 999_999)
    )
    try await world.store().append(
      ChappieTurn(id: "t", recordedAtSeconds: 101, recordedAtMicroseconds: 7, events: []), to: "a")
    let thread = try await world.store().thread("a")
    #expect(thread.summary.createdAtMicroseconds == 1)
    #expect((thread.summary.updatedAtSeconds, thread.summary.updatedAtMicroseconds) == (101, 7))
    #expect(thread.turns.map(\.recordedAtMicroseconds) == [7])
    #expect(try await world.store().threads(ChappieThreadQuery()) == [thread.summary])
  }

  @Test func anEarlierTurnDoesNotMoveTheTimeBack() {
    var summary = ChappieThreadSummary(
      id: "a", createdAtSeconds: 100, updatedAtSeconds: 100, updatedAtMicroseconds: 500)
    summary.add(ChappieTurn(id: "t", recordedAtSeconds: 100, recordedAtMicroseconds: 400, events: []), number: 1)
    #expect((summary.updatedAtSeconds, summary.updatedAtMicroseconds) == (100, 500))
    summary.add(ChappieTurn(id: "u", recordedAtSeconds: 100, recordedAtMicroseconds: 600, events: []), number: 2)
    #expect((summary.updatedAtSeconds, summary.updatedAtMicroseconds) == (100, 600))
  }

  @Test func threadsWithoutMicrosecondsAreRead() throws {
    let old: ChappieJSONValue = ["id": "a", "createdAt": 5, "updatedAt": 6]
    let summary = try ChappieThreadSummary(jsonValue: old)
    #expect((summary.createdAtMicroseconds, summary.updatedAtMicroseconds) == (0, 0))
    #expect(summary.jsonValue["createdAtMicroseconds"] == nil)
    let wrong: ChappieJSONValue = ["id": "a", "createdAt": 5, "updatedAt": 6, "createdAtMicroseconds": 2_000_000]
    #expect(try ChappieThreadSummary(jsonValue: wrong).createdAtMicroseconds == 999_999)
  }
}
