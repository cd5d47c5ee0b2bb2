// SPDX-License-Identifier: Apache-2.0

/// Frames that arrive on a kept socket without a request belong to no answer, and frames that name another answer
/// belong to that one.
@Suite(.worlds) @GLibActor
struct LateFrameTests {
  private nonisolated static let words = #"{"type":"response.output_text.delta","delta":"Late words."}"#
  private nonisolated static let end = #"{"type":"response.completed","response":{"id":"resp_late"}}"#
  private nonisolated static let beginning = #"{"type":"response.created","response":{"id":"resp_late"}}"#

  /// A frame that a backend may send too late.
  enum Late: String, CaseIterable {
    case words, completed, failed, whole, item, error, garbage, unknown

    var frames: String {
      switch self {
      case .words: LateFrameTests.words
      case .completed: LateFrameTests.end
      case .failed:
        #"{"type":"response.failed","response":{"id":"resp_late","error":{"code":"invalid_prompt","message":"Late."}}}"#
      case .whole: "\(LateFrameTests.beginning),\(LateFrameTests.words),\(LateFrameTests.end)"
      case .item:
        """
        {"type":"response.output_item.done","item":{"type":"message","role":"assistant",\
        "content":[{"type":"output_text","text":"Late words."}]}}
        """
      case .error: #"{"type":"error","status":400,"error":{"code":"invalid_prompt","message":"Late."}}"#
      case .garbage: #""{late""#
      case .unknown: #"{"type":"response.something_new"}"#
      }
    }
  }

  private func whole(_ world: World, handshakes: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let state = try await world.sandbox.state()
    #expect(state.requests["handshake"] == handshakes, sourceLocation: sourceLocation)
    #expect(state.lastResponsesRequest.transport == "websocket", sourceLocation: sourceLocation)
  }

  // MARK: Between two turns

  /// The frames arrive together with the end of the answer, or while the socket is kept: then it is closed at once.
  @Test func framesAfterTheEndBelongToNoTurn() async throws {
    let cases = Late.allCases.map { ($0, isLater: false) } + [Late.words, .garbage].map { ($0, isLater: true) }
    try await World.signedIn(each: cases) { world, caller, test in
      let (late, isLater) = test
      let client = try await caller.open("Client")
      try await world.sandbox.play(
        #"[{"endpoint":"responses","text":"One.","late":[\#(late.frames)],"hold_late":\#(isLater)}]"#)
      #expect(try await caller.send("one", at: client) == "One.")
      if isLater {
        #expect(try await world.sandbox.state().openSockets == 1)
        try await eventually("the socket to be closed") {
          try await world.sandbox.release()
          return try await world.sandbox.state().openSockets == 0
        }
      }
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      try await whole(world, handshakes: 2)
    }
  }

  /// The backend may report the usage at any time.
  @Test func usageReportsBetweenTurnsAreAccepted() async throws {
    let (world, caller) = try await World.signedIn()
    let client = try await caller.open("Client")
    try await world.sandbox.play(
      """
      [{"endpoint":"responses","text":"One.","late":[{"type":"codex.rate_limits","plan_type":"plus",
        "rate_limits":{"primary":{"used_percent":42.5,"window_minutes":300,"reset_at":1893456000}}},
        {"type":"responsesapi.websocket_timing"}]}]
      """)
    #expect(try await caller.send("one", at: client) == "One.")
    #expect(try await caller.send("two", at: client).contains("3 messages"))
    try await whole(world, handshakes: 1)
  }

  // MARK: After the next request

  /// The frames were under way when the next turn sent its request.
  @Test func framesBeforeTheFirstEventBelongToAnotherAnswer() async throws {
    try await World.signedIn(each: [Late.words, .completed, .failed, .item]) { world, caller, late in
      let client = try await caller.open("Client", World.Plan.Transport.webSocket.impatient)
      _ = try await caller.send("one", at: client)
      try await world.sandbox.play(#"[{"endpoint":"responses","events":[\#(late.frames),\#(Self.end)]}]"#)
      #expect(try await caller.send("two", at: client).contains("3 messages"))
      try await whole(world, handshakes: 2)
    }
  }
}
