import ChappieSDK
import ChappieSDKTesting
import GLibBridge
import Testing

/// What the plan offers and how much of it is used, as an app in Swift sees it.
@Suite(.timeLimit(.minutes(1))) @GLibActor
struct PlanTests {
  private static func client(
    _ backend: StandInBackend, _ policy: ChappieStreamingTransportPolicy = .default
  ) throws -> ChappieClient {
    var configuration = try ChappieConfiguration.testing(.signedIn, backend: backend)
    configuration.streamingTransportPolicy = policy
    return Chappie.client(configuration: configuration)
  }

  @Test func theBestModelIsTheFirstThatMatches() async throws {
    let backend = try StandInBackend()
    let client = try Self.client(backend)
    #expect(try await client.models().map(\.id) == ["gpt-5.5", "gpt-5.4", "gpt-5.4-mini", "gpt-5.3-codex-spark"])
    #expect(try await client.bestAvailableModel()?.slug == "gpt-5.5")
    let quiet = ChappieModelFilter(supportsSearchTool: false)
    #expect(try await client.bestAvailableModel(filter: quiet)?.slug == "gpt-5.3-codex-spark")
    #expect(try await client.bestAvailableModel(filter: ChappieModelFilter(inputModality: "smell")) == nil)
    await backend.stop()
  }

  @Test func theFallbackIsTheBestOther() async throws {
    let backend = try StandInBackend()
    let client = try Self.client(backend)
    #expect(try await client.fallbackModel()?.slug == "gpt-5.4")
    #expect(try await client.fallbackModel(insteadOf: "gpt-5.4")?.slug == "gpt-5.5")
    await client.selectModel("gpt-5.3-codex-spark")
    #expect(try await client.fallbackModel()?.slug == "gpt-5.5")
    // Nothing else is like it.
    #expect(try await client.fallbackModel(filter: ChappieModelFilter(supportsSearchTool: false)) == nil)
    await backend.stop()
  }

  @Test(arguments: [ChappieStreamingTransportPolicy.default, .httpSSEOnly])
  func aStreamTellsOfUsageOnce(_ policy: ChappieStreamingTransportPolicy) async throws {
    let backend = try StandInBackend()
    let client = try Self.client(backend, policy)
    var told: [ChappieUsageLimitSnapshot] = []
    for try await event in client.stream("hi") {
      if case .usageLimits(let limits) = event { told.append(limits) }
    }
    let limits = try #require(told.first)
    #expect(told.count == 1)
    #expect(limits.plan != nil)
    #expect(limits.primary?.usedPercent == 12.5)
    #expect(limits.primary?.windowMinutes == 300)
    // The usage endpoint has whole percents, and the same times.
    let asked = try await client.usageLimits()
    #expect(asked.primary?.resetsAt == limits.primary?.resetsAt)
    #expect(asked.secondary?.windowMinutes == 10080)
    await backend.stop()
  }
}
