// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

@GLibActor
struct TurnSizeTests {
  private final class Room {
    var asked: [Int] = []
    var limit = Int.max

    @GLibActor
    func hold(_ bytes: Int) throws(ChappieClientError) {
      guard bytes <= limit else { throw .limitExceeded("no room") }
      asked.append(bytes)
    }
  }

  private let room = Room()

  private var size: TurnSize { TurnSize { (bytes) throws(ChappieClientError) in try room.hold(bytes) } }

  @Test func growingTextReservesRoomRarely() throws {
    let size = size
    for bytes in stride(from: 8, through: 1 << 20, by: 8) { try size.grow(text: bytes) }
    #expect((1...20).contains(room.asked.count))
    #expect(try #require(room.asked.last) >= 3 << 20)
  }

  @Test func answerHasALimitAndNeedsRoom() throws {
    let size = size
    try size.grow(text: TurnLimits.answerBytes)
    #expect(throws: ChappieClientError.self) { try size.grow(text: TurnLimits.answerBytes + 1) }
    room.limit = 1 << 20
    let other = self.size
    #expect(throws: ChappieClientError.limitExceeded("no room")) { try other.grow(text: 1 << 20) }
  }

  @Test func limitsThePartsOfAnAnswer() throws {
    let call: ChappieJSONValue = ["type": "function_call", "name": "t"]
    let calls = size
    for _ in 0..<TurnLimits.calls { try calls.add(call, bytes: 40) }
    #expect(throws: ChappieClientError.self) { try calls.add(call, bytes: 40) }
    let thought: ChappieJSONValue = ["type": "reasoning"]
    let many = size
    for _ in 0..<TurnLimits.items { try many.add(thought, bytes: 20) }
    #expect(throws: ChappieClientError.self) { try many.add(thought, bytes: 20) }
    let long = size
    #expect(throws: ChappieClientError.self) { try long.add(thought, bytes: TurnLimits.itemBytes + 1) }
  }

  @Test func limitsARequestWithItsImages() throws {
    func request(_ messages: [ChappieInputMessage]) -> TurnRequest {
      TurnRequest(
        .standard, harness: .none, input: messages.map { .message($0) }, options: ChappieMessageOptions(),
        threadID: "t")
    }
    let image = try ChappieImage(url: "data:image/png;base64," + String(repeating: "A", count: 9 << 20))
    try size.ask(request([.user("look", images: [image])]))
    #expect(try #require(room.asked.last) >= 3 * 9 << 20)
    #expect(throws: ChappieClientError.self) { try size.ask(request([.user("look", images: [image, image])])) }
    let empty = Array(repeating: ChappieInputMessage.user(""), count: TurnLimits.conversationItems + 1)
    #expect(throws: ChappieClientError.self) { try size.ask(request(empty)) }
  }
}

/// The bounds that end every answer, in bytes and in time.
struct StreamBoundTests {
  @Test func limitsTheBytesAndTheDurationOfAnAnswer() throws {
    var bytes = StreamBound()
    try bytes.take(TurnLimits.streamBytes - 1)
    try bytes.take(1)
    #expect(throws: ChappieClientError.limitExceeded("The backend sent more than 256 MiB for one answer.")) {
      try bytes.take(1)
    }
    let start = ContinuousClock.now
    var time = StreamBound(start: start)
    try time.take(1, at: start + .seconds(3600))
    #expect(throws: ChappieClientError.limitExceeded("The answer was not complete after 60 minutes.")) {
      try time.take(1, at: start + .seconds(3601))
    }
  }
}

/// The handling of calls that no tool here can run.
struct ForeignCallsTests {
  private static let message: ChappieJSONValue = ["type": "message", "content": []]
  private static let thought: ChappieJSONValue = ["type": "reasoning", "encrypted_content": "x"]

  private static func item(_ type: String, _ id: String = "call_1") -> ChappieJSONValue {
    ["type": .string(type), "call_id": .string(id)]
  }

  @Test func keepsAndAnswersACustomCall() throws {
    let call: ChappieJSONValue = ["type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "x"]
    let calls = ForeignCalls(among: [Self.thought, call])
    #expect(calls.kept == [Self.thought, call])
    #expect(calls.omittedKind == nil && calls.havePlainIDs)
    guard case .toolOutput("call_1", let output, _, true)? = calls.outputs.first else {
      throw UnmetCondition("an answer")
    }
    #expect(!output.isEmpty)
  }

  @Test(arguments: ["local_shell_call", "computer_call", "what_comes_next"])
  func omitsAnUnanswerableCall(_ type: String) {
    let calls = ForeignCalls(among: [Self.thought, Self.message, Self.thought, Self.item(type)])
    #expect(calls.kept == [Self.thought, Self.message])
    #expect(calls.omittedKind == type)
    #expect(calls.outputs.isEmpty)
  }

  @Test func keepsCallsRunByTheBackendAndOfFunctions() {
    let items: [ChappieJSONValue] = [
      Self.item("tool_search_call"), Self.item("tool_search_output"),
      ["type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"],
      ["type": "web_search_call", "status": "completed"], ["type": "compaction"],
    ]
    let calls = ForeignCalls(among: items)
    #expect(calls.kept == items && calls.outputs.isEmpty && calls.omittedKind == nil)
  }

  @Test(arguments: ["", "two words", "eyJabc.def"])
  func detectsAnInvalidCallID(_ id: String) {
    #expect(!ForeignCalls(among: [Self.item("custom_tool_call", id)]).havePlainIDs)
  }
}
