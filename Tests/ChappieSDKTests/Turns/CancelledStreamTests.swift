// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A stream whose reader is cancelled ends as ``ChappieClient/send(_:)`` does, and never like a whole answer.
@Suite(.timeLimit(.minutes(10))) @GLibActor struct CancelledStreamTests {
  private static let hangs = #"[{"endpoint": "responses", "hang": true}]"#
  private static let speaksOnce = #"[{"endpoint": "responses", "text": "one two", "delta_delay_ms": 3600000}]"#

  /// Reads an answer in a task of its own, which cancels itself at an event for which `ends` is true.
  private static func reading(
    _ client: ChappieClient, until ends: @escaping @Sendable (ChappieStreamEvent) -> Bool = { _ in false }
  ) -> Task<Void, any Error> {
    Task {
      for try await event in client.stream("use wait") where ends(event) {
        withUnsafeCurrentTask { $0?.cancel() }
      }
    }
  }

  private nonisolated static func isText(_ event: ChappieStreamEvent) -> Bool {
    if case .textDelta = event { true } else { false }
  }

  /// The turn has ended too: the next one does not wait for it, and finds nothing of it.
  private static func expectNothingLeft(_ client: ChappieClient) async throws {
    #expect(try await client.send("Hello").contains("1 message"))
  }

  @Test(arguments: TestClient.policies)
  func beforeTheFirstDeltaAndInTheMiddle(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { world in
      try world.backend.play(Self.hangs)
      let reading = Self.reading(world.client)
      try await eventually("the request") { world.backend.state.requests["responses"] == 1 }
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
      try world.backend.play(Self.speaksOnce)
      await #expect(throws: CancellationError.self) {
        try await Self.reading(world.client, until: Self.isText).value
      }
      try await Self.expectNothingLeft(world.client)
    }
  }

  @Test func whileAToolRuns() async throws {
    let (running, ended) = (Counter(), Counter())
    let wait = ChappieHostTool.named("wait") { _ in
      await running.add()
      do { try await Task.sleep(for: .seconds(3600)) } catch { await ended.add() }
      return ChappieToolResult(output: "")
    }
    try await TestClient.with(tools: [wait]) { world in
      let reading = Self.reading(world.client)
      try await eventually("the tool") { await running.count == 1 }
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
      try await eventually("the end of the tool") { await ended.count == 1 }
      try await Self.expectNothingLeft(world.client)
      #expect(world.backend.state.requests["responses"] == 2)
    }
  }

  /// An answer that is complete stays so, even if its reader is cancelled before it has read all of it.
  @Test func beforeItIsReadAndAfterTheEnd() async throws {
    try await TestClient.with { world in
      let reading = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        for try await _ in world.client.stream("Hello") {}
      }
      await #expect(throws: CancellationError.self) { try await reading.value }
      try await Self.expectNothingLeft(world.client)
      let stream = world.client.stream("Hello")
      try await eventually("the answer") { await world.client.context().messages.count == 4 }
      let late = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        var last: ChappieStreamEvent?
        for try await event in stream { last = event }
        return last
      }
      guard case .completed = try await late.value else { throw UnmetCondition("the end of the answer") }
    }
  }

  @Test func leavingTheLoopEndsTheTurn() async throws {
    try await TestClient.with { world in
      try world.backend.play(Self.speaksOnce)
      for try await event in world.client.stream("Hello") where Self.isText(event) { break }
      try await eventually { world.backend.state.openSockets == 0 }
      #expect(world.backend.state.openStreams == 0)
      try await Self.expectNothingLeft(world.client)
    }
  }
}
