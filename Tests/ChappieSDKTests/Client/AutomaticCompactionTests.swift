// SPDX-License-Identifier: Apache-2.0
import ChappieSDKTesting
import GLibBridge
import Testing

@testable import ChappieSDK

/// Compaction of a conversation before it exceeds the model's context window.
@Suite @GLibActor
struct AutomaticCompactionTests {
  private func with(_ compaction: ChappieAutomaticCompaction, _ body: (ChappieClient) async throws -> Void) async throws
  {
    try await TestClient.with(compaction: compaction, contextWindow: 4000) { try await body($0.client) }
  }

  /// About 700 tokens.
  private static let long = String(repeating: "word ", count: 560)

  @Test func compactsBeforeAMessageThatDoesNotFit() async throws {
    try await with(.whenFull(percent: 15)) { client in
      _ = try await client.send(Self.long)
      #expect(await client.context().compactedSummary == nil)
      #expect(try await client.send("what now?").contains("what now?"))
      let context = await client.context()
      #expect(context.compactedSummary?.isEmpty == false)
      #expect(context.messages.map(\.role) == [.user, .assistant])
      #expect(context.messages.first?.text == "what now?")
    }
  }

  @Test(arguments: [ChappieAutomaticCompaction.off, .whenFull(percent: 90)])
  func doesNotCompactAConversationThatFits(_ compaction: ChappieAutomaticCompaction) async throws {
    try await with(compaction) { client in
      for text in [Self.long, "what now?"] { _ = try await client.send(text) }
      let context = await client.context()
      #expect(context.compactedSummary == nil && context.messageCount == 4)
    }
  }

  /// The turn continues without compaction.
  @Test func doesNotCompactWithAnUnknownWindow() async throws {
    try await with(.whenFull(percent: 1)) { client in
      await client.selectModel("gpt-5.3-codex-unlisted")
      _ = try? await client.send(Self.long)
      #expect(await client.context().compactedSummary == nil)
    }
  }
}
