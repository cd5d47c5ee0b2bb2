// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// The models and the usage of a plan through the public API.
@Suite(.timeLimit(.minutes(10))) @GLibActor
struct PlanTests {
  /// The stand-in's list of models, best first.
  private static let listed = [
    "gpt-6.1-sol", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna",
  ]

  @Test func bestModelIsTheFirstMatch() async throws {
    try await TestClient.with { world in
      let client = world.client
      let models = try await client.models()
      #expect(models.map(\.id) == Self.listed)
      #expect(try await client.bestAvailableModel()?.slug == "gpt-6.1-sol")
      let delegating = ChappieModelFilter(reasoningLevel: "ultra")
      #expect(
        try await client.models(filter: delegating).map(\.id) == Self.listed.filter { !$0.hasSuffix("luna") })
      #expect(try await client.bestAvailableModel(filter: ChappieModelFilter(inputModality: "smell")) == nil)
      #expect(try await client.fallbackModel(insteadOf: "gpt-6.1-sol")?.slug == "gpt-6-astra")
      #expect(try await client.fallbackModel(insteadOf: "gpt-6-astra")?.slug == "gpt-6.1-sol")
      await client.selectModel("gpt-6.1-sol")
      #expect(try await client.fallbackModel()?.slug == "gpt-6-astra")
      #expect(try await client.fallbackModel(filter: ChappieModelFilter(inputModality: "smell")) == nil)
    }
  }

  @Test(arguments: TestClient.policies)
  func streamReportsUsageOnce(_ policy: ChappieStreamingTransportPolicy) async throws {
    try await TestClient.with(policy) { world in
      // A turn that cannot wait for the list of models may be refused in its first form, and a refusal reports usage
      // too.
      _ = try await world.client.models()
      var snapshots: [ChappieUsageLimitSnapshot] = []
      for try await event in world.client.stream("hi") {
        if case .usageLimits(let limits) = event { snapshots.append(limits) }
      }
      let limits = try #require(snapshots.first)
      #expect(snapshots.count == 1)
      #expect(limits.plan != nil)
      #expect(limits.primary?.usedPercent == 12.5)
      #expect(limits.primary?.windowMinutes == 300)
      // The usage endpoint reports whole percents and the same times.
      let asked = try await world.client.usageLimits()
      let resetsAt = try #require(asked.primary?.resetsAt)
      #expect(limits.primary?.resetsAt == resetsAt)
      #expect(asked.secondary?.windowMinutes == 10080)
    }
  }
}
