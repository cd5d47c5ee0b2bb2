// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

/// Events as lines on a socket.
@GLibActor
struct LineOutletTests {
  private static let completed = TurnEvent(signal: "Completed", event: "completed", texts: ["text": ""], kind: .end)

  /// Text is cut into lines between characters.
  @Test(arguments: ["x", "ä", "€", "🦆", "e\u{301}"])
  func longTextIsWholeAtTheEnd(_ character: String) async throws {
    let (outlet, answer, reader) = try Self.outlet()
    let text = "." + String(repeating: character, count: 300_000)
    answer.append(text)
    outlet.grew()
    outlet.send(Self.completed)
    var read = ""
    var lengths: [Int] = []
    while let event = try await reader.event() {
      read += event["text"]?.stringValue ?? ""
      lengths.append(event["text"]?.stringValue?.utf8.count ?? 0)
    }
    #expect(read == text)
    #expect(lengths.max() ?? 0 <= 32 << 10)
    await outlet.flush()
  }

  /// An event comes after the text that was there before it, and before the text that came after it.
  @Test func eventsKeepTheirPlace() async throws {
    let (outlet, answer, reader) = try Self.outlet()
    for number in 0..<3 {
      answer.append("text \(number)")
      outlet.grew()
      let request = ChappieToolExecutionRequest(
        callID: "call \(number)", toolName: "t", arguments: String(repeating: "x", count: number * 100_000),
        policy: .automatic)
      outlet.send(try #require(TurnEvent(.toolCallRequested(request))))
    }
    outlet.send(Self.completed)
    var seen: [String] = []
    while let event = try await reader.event() {
      seen.append(event["call"]?.stringValue ?? event["text"]?.stringValue ?? "")
    }
    #expect(seen == ["text 0", "call 0", "text 1", "call 1", "text 2", "call 2", ""])
  }

  @Test func aCallerThatDoesNotReadPausesTheTurn() async throws {
    let (outlet, answer, reader) = try Self.outlet()
    answer.append(String(repeating: "x", count: 2 << 20))
    outlet.grew()
    let flow = outlet.flow
    #expect(flow.isPause)
    outlet.send(Self.completed)
    var length = 0
    while let event = try await reader.event() { length += event["text"]?.stringValue?.utf8.count ?? 0 }
    #expect(await flow.goesOn())
    #expect(length == 2 << 20)
    #expect(!outlet.flow.isPause)
  }

  @Test func aCallerThatIsGoneDoesNotHoldTheTurnUp() async throws {
    let (own, other) = try StreamSocket.pair()
    let answer = AnswerText()
    let outlet = LineOutlet(own, answer)
    try StreamSocket(other).close()
    answer.append(String(repeating: "x", count: 2 << 20))
    outlet.grew()
    try await eventually("the turn to go on") { !outlet.flow.isPause }
    outlet.send(Self.completed)
    await outlet.flush()
  }

  private static func outlet() throws -> (LineOutlet, AnswerText, LineReader) {
    let (own, other) = try StreamSocket.pair()
    let answer = AnswerText()
    return (LineOutlet(own, answer), answer, LineReader(try StreamSocket(other), limit: 1 << 20))
  }
}

extension LineReader {
  fileprivate func event() async throws -> ChappieJSONValue? {
    try await next().map { try ChappieJSONValue(json: String(decoding: $0, as: UTF8.self)) }
  }
}
