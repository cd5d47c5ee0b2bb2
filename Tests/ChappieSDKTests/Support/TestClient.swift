import ChappieSDK
import ChappieSDKTesting
import GLibBridge

/// A client that is signed in, and the stand-in that it asks.
@GLibActor
struct TestClient {
  nonisolated static let policies: [ChappieStreamingTransportPolicy] = [.default, .httpSSEOnly]

  let backend: StandInBackend
  let client: ChappieClient

  static func with(
    _ policy: ChappieStreamingTransportPolicy = .default, harness: ChappieHarness = .default,
    tools: [ChappieHostTool] = [], approval: ChappieToolApprovalHandler? = nil,
    compaction: ChappieAutomaticCompaction = .off, contextWindow: Int? = nil,
    _ body: @GLibActor (TestClient) async throws -> Void
  ) async throws {
    var behaviour = StandInConfiguration()
    behaviour.wordsPerSecond = 0
    behaviour.contextWindow = contextWindow
    let backend = try StandInBackend(behaviour)
    var configuration = try ChappieConfiguration.testing(.signedIn, backend: backend)
    configuration.streamingTransportPolicy = policy
    configuration.harness = harness
    configuration.automaticCompaction = compaction
    let client = Chappie.client(configuration: configuration, tools: tools, toolApprovalHandler: approval)
    try await body(TestClient(backend: backend, client: client))
    await backend.stop()
  }

  /// What happens while `text` is answered, without what the plan's use is; texts in one piece.
  func events(_ text: String) async throws -> [ChappieStreamEvent] {
    var events: [ChappieStreamEvent] = []
    for try await event in client.stream(text) {
      switch (event, events.last) {
      case (.usageLimits, _): break
      case (.textDelta(let delta), .textDelta(let before)): events[events.count - 1] = .textDelta(before + delta)
      default: events.append(event)
      }
    }
    return events
  }

  /// How the calls of a turn ended, which must have gone on.
  func results(_ text: String) async throws -> [ChappieToolExecutionResult] {
    try await events(text).compactMap { event in
      if case .toolCallCompleted(let result) = event { result } else { nil }
    }
  }
}

extension ChappieHostTool {
  /// A tool without arguments.
  static func named(
    _ name: String, policy: ChappieToolPolicy = .automatic, timeLimit: Duration = ChappieHostTool.defaultTimeLimit,
    handler: @escaping Handler = { ChappieToolResult(output: "\($0.name) done") }
  ) -> ChappieHostTool {
    ChappieHostTool(
      name: name, description: "Does \(name).", policy: policy, timeLimit: timeLimit, handler: handler)
  }
}

/// Counts, from any thread.
actor Counter {
  private(set) var count = 0

  func add() { count += 1 }
}
