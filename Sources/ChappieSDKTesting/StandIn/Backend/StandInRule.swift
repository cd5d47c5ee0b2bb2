// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// A rule of a scenario: the behaviour for the next requests to one endpoint.
struct StandInRule: Sendable {
  enum Action: Sendable {
    /// No answer until the client disconnects.
    case hang
    /// A fixed answer.
    case answer(HTTPServerResponse)
    /// A fixed body, after which the connection may be cut.
    case raw(HTTPServerResponse, cuts: Bool)
    /// An answer that is larger than a client should accept.
    case flood(Flood)
    /// The normal answer with changes.
    case change(Change)
  }

  /// The changes of the normal answer, by the keys of the rule.
  struct Change: Sendable {
    var keys: [String: ChappieJSONValue] = [:]

    var headers: HeaderFields {
      (keys["headers"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value.stringValue ?? "") }
    }
    /// The members to replace in the JSON of the answer; `null` removes one.
    var members: [String: ChappieJSONValue] { keys["members"]?.objectValue ?? [:] }
    var idToken: IDTokenChange? {
      keys["id_token"].map { part in
        IDTokenChange(
          claims: part["claims"]?.objectValue ?? [:],
          fault: part["signature"]?.stringValue.flatMap(SigningKeys.Fault.init))
      }
    }
    var text: String? { keys["text"]?.stringValue }
    var toolCalls: [ToolCall]? { keys["tool_calls"]?.arrayValue?.map(ToolCall.init(scripted:)) }
    var events: [ChappieJSONValue]? { keys["events"]?.arrayValue }
    var deltaDelay: Duration? { keys["delta_delay_ms"].map(\.milliseconds) }
    /// The number of deltas after which the answer waits for a release.
    var holdAfter: Int? { keys["hold_after"]?.wholeNumber }
    /// Refuses the plain form of a request for a model that asks for the lite form.
    var requiresLite: Bool { keys["requires_lite"] == true }
    /// How a search of the web differs from the usual one.
    var search: ChappieJSONValue { keys["search"] ?? .null }
    /// Refuses a request that sends searches of the web back.
    var refusesSearchItems: Bool { keys["refuses_search_items"] == true }
    /// Refuses a request with files.
    var refusesFiles: Bool { keys["refuses_files"] == true }
    var ending: EventPlayer.Ending {
      if let deltas = keys["drop_after"]?.wholeNumber { return .dropAfter(deltas: deltas) }
      return keys["end_after"]?.wholeNumber.map { .endAfter(deltas: $0) } ?? .complete
    }
    /// Messages over the WebSocket after the end of the answer, and the delay before the first of them.
    var late: [ChappieJSONValue] { keys["late"]?.arrayValue ?? [] }
    var lateDelay: Duration { keys["late_delay_ms"].map(\.milliseconds) ?? .zero }
  }

  let endpoint: StandInEndpoint
  /// The number of requests; `Int.max` for all.
  var times: Int
  let delay: Duration
  let action: Action

  var change: Change? {
    if case .change(let change) = action { change } else { nil }
  }

  /// Whether the action is a fixed answer. Such a rule applies before the request is checked.
  var hasOwnStatus: Bool {
    if case .answer = action { true } else { false }
  }

  /// Waits for the delay of the rule, which ``replacement()`` does too.
  @GLibActor
  func waitForDelay() async throws {
    if delay > .zero { try await sleep(for: delay) }
  }

  /// Never answers.
  @GLibActor
  func hang() async throws -> Never {
    while true { try await sleep(for: .seconds(3600)) }
  }

  /// Waits for the delay of the rule, and returns its fixed answer; nil if it changes the normal answer.
  @GLibActor
  func replacement() async throws -> HTTPServerAnswer? {
    try await waitForDelay()
    switch action {
    case .change:
      return nil
    case .hang:
      try await hang()
    case .answer(let response):
      return .whole(response)
    case .raw(let response, let cuts):
      return .stream(response.head) { stream in
        try await stream.write(response.body)
        if cuts { stream.abort() }
      }
    case .flood(let flood):
      return .stream(HTTPServerResponse.Head(status: 200, headers: [("content-type", "text/event-stream")])) { stream in
        try await flood.play { try await stream.write($0.frame) }
      }
    }
  }
}

/// The remaining rules of the scenario.
@GLibActor
final class ScenarioPlayer {
  private var rules: [StandInRule] = []

  /// The number of remaining rules. A rule with `"always"` always remains.
  var remaining: Int { rules.count }

  /// Replaces the scenario.
  func load(_ rules: [StandInRule]) {
    self.rules = rules
  }

  /// Uses the next rule for an endpoint; nil if there is none, or if it does not satisfy `condition`.
  func take(_ endpoint: StandInEndpoint, where condition: (StandInRule) -> Bool = { _ in true }) -> StandInRule? {
    guard let index = rules.firstIndex(where: { $0.endpoint == endpoint }), condition(rules[index]) else { return nil }
    let rule = rules[index]
    if rule.times < .max { rules[index].times -= 1 }
    if rule.times == 1 { rules.remove(at: index) }
    return rule
  }
}
