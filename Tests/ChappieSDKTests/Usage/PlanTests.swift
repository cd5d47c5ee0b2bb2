// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// The models and the usage of a plan through the public API.
@Suite(.timeLimit(.minutes(1))) @GLibActor
struct PlanTests {
  private static func client(
    _ backend: StandInBackend, _ policy: ChappieStreamingTransportPolicy = .default
  ) throws -> ChappieClient {
    var configuration = try ChappieConfiguration.testing(.signedIn, backend: backend)
    configuration.streamingTransportPolicy = policy
    return Chappie.client(configuration: configuration)
  }

  /// The stand-in's list of models, best first.
  private static let listed = [
    "gpt-6.1-sol", "gpt-6-astra", "gpt-6-sol", "gpt-6-luna", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna",
  ]

  @Test func bestModelIsTheFirstMatch() async throws {
    let backend = try StandInBackend()
    let client = try Self.client(backend)
    #expect(try await client.models().map(\.id) == Self.listed)
    #expect(try await client.bestAvailableModel()?.slug == "gpt-6.1-sol")
    let delegating = ChappieModelFilter(reasoningLevel: "ultra")
    #expect(
      try await client.models(filter: delegating).map(\.id)
        == Self.listed.filter { !$0.hasSuffix("luna") })
    #expect(try await client.bestAvailableModel(filter: ChappieModelFilter(inputModality: "smell")) == nil)
    await backend.stop()
  }

  @Test func fallbackIsTheNextBestModel() async throws {
    let backend = try StandInBackend()
    let client = try Self.client(backend)
    #expect(try await client.fallbackModel(insteadOf: "gpt-6.1-sol")?.slug == "gpt-6-astra")
    #expect(try await client.fallbackModel(insteadOf: "gpt-6-astra")?.slug == "gpt-6.1-sol")
    await client.selectModel("reader")
    #expect(try await client.fallbackModel()?.slug == "gpt-6.1-sol")
    try backend.replaceModels(#"[{"slug": "gpt-6-sol"}, {"slug": "reader", "supports_search_tool": false}]"#)
    let other = try Self.client(backend)
    await other.selectModel("reader")
    #expect(try await other.fallbackModel()?.slug == "gpt-6-sol")
    // No other model matches.
    #expect(try await other.fallbackModel(filter: ChappieModelFilter(supportsSearchTool: false)) == nil)
    await backend.stop()
  }

  @Test(arguments: [ChappieStreamingTransportPolicy.default, .httpSSEOnly])
  func streamReportsUsageOnce(_ policy: ChappieStreamingTransportPolicy) async throws {
    let backend = try StandInBackend()
    let client = try Self.client(backend, policy)
    // A turn that cannot wait for the list of models may be refused in its first form, and a refusal reports usage too.
    _ = try await client.models()
    var snapshots: [ChappieUsageLimitSnapshot] = []
    for try await event in client.stream("hi") {
      if case .usageLimits(let limits) = event { snapshots.append(limits) }
    }
    let limits = try #require(snapshots.first)
    #expect(snapshots.count == 1)
    #expect(limits.plan != nil)
    #expect(limits.primary?.usedPercent == 12.5)
    #expect(limits.primary?.windowMinutes == 300)
    // The usage endpoint reports whole percents and the same times.
    let asked = try await client.usageLimits()
    #expect(asked.primary?.resetsAt == limits.primary?.resetsAt)
    #expect(asked.secondary?.windowMinutes == 10080)
    await backend.stop()
  }
}
