// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

/// A signed-in client with its stand-in backend.
@GLibActor
struct TestClient {
  nonisolated static let policies: [ChappieStreamingTransportPolicy] = [.default, .httpSSEOnly]

  let backend: StandInBackend
  let client: ChappieClient

  static func with(
    _ policy: ChappieStreamingTransportPolicy = .default, harness: ChappieHarness = .default,
    tools: [ChappieHostTool] = [], approval: ChappieToolApprovalHandler? = nil,
    compaction: ChappieAutomaticCompaction = .off, contextWindow: Int? = nil, search: ChappieWebSearch = .off,
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
    configuration.webSearch = search
    let client = Chappie.client(configuration: configuration, tools: tools, toolApprovalHandler: approval)
    try await body(TestClient(backend: backend, client: client))
    await backend.stop()
  }

  /// The events of the answer to `text`, without usage reports and with consecutive text deltas joined.
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

  /// The results of the tool calls in the answer to `text`.
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

/// A counter for concurrent tasks.
actor Counter {
  private(set) var count = 0

  func add() { count += 1 }
}
