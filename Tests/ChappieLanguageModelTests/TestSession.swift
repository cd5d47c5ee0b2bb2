// SPDX-License-Identifier: Apache-2.0
import ChappieLanguageModel
import ChappieSDK
import ChappieSDKTesting

/// A model with its stand-in backend.
struct TestModel: Sendable {
  let backend: StandInBackend
  let model: SystemLanguageModel

  static func with(
    _ fixture: ChappieAuthFixture = .signedIn, contextWindow: Int? = nil, _ body: (TestModel) async throws -> Void
  ) async throws {
    var behaviour = StandInConfiguration()
    behaviour.wordsPerSecond = 0
    behaviour.contextWindow = contextWindow
    let backend = try await StandInBackend(behaviour)
    let model = SystemLanguageModel(configuration: try await .testing(fixture, backend: backend))
    try await body(TestModel(backend: backend, model: model))
    await backend.stop()
  }

  /// The requests for an answer so far.
  var requests: Int { get async { await backend.state.requests["responses"] ?? 0 } }

  /// The latest request for an answer, as text.
  var latestRequest: String { get async { String(decoding: await backend.state.lastResponsesBody, as: UTF8.self) } }

  /// Makes the next request hang.
  func hang() async throws {
    try await backend.play(#"[{"endpoint": "responses", "hang": true}]"#)
  }
}

extension Transcript {
  /// The kinds of the entries.
  var kinds: [String] {
    map { entry in
      switch entry {
      case .instructions: "instructions"
      case .prompt: "prompt"
      case .toolCalls: "toolCalls"
      case .toolOutput: "toolOutput"
      case .response: "response"
      }
    }
  }
}

/// Waits until `condition` is true.
func eventually(_ condition: () async -> Bool) async throws {
  while !(await condition()) { try await Task.sleep(for: .milliseconds(1)) }
}

struct Weather: Tool {
  struct Arguments: Generable {
    let city: String
    let days: Int?
  }

  struct Closed: Error {}

  let name = "weather"
  let description = "Tells the weather of a city."

  func call(arguments: Arguments) async throws -> [String] {
    if arguments.city == "Atlantis" { throw Closed() }
    return ["Rain in \(arguments.city).", "\(arguments.days ?? 1) days."]
  }
}

struct Trip: Generable, Equatable {
  enum Pace: String, Generable, CaseIterable { case slow, quick }

  let title: String
  let pace: Pace
  let stops: [String]
}
