// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

/// A rule of a scenario: the behaviour for the next requests to one endpoint. One without keys changes nothing.
struct StandInRule: Sendable {
  /// What a rule does: the first of these keys that it has decides.
  enum Kind: String, CaseIterable {
    /// No answer until the client disconnects.
    case hang
    /// An answer that is larger than a client should accept.
    case flood
    /// A fixed answer, by its name.
    case refusal
    /// A fixed body, after which the connection may be cut.
    case raw
    /// A fixed answer.
    case body, status
    /// The normal answer with changes.
    case change
  }

  var endpoint = StandInEndpoint.unknown
  /// The number of requests; `Int.max` for all.
  var times = 1
  var kind = Kind.change
  var keys: [String: ChappieJSONValue] = [:]
  /// The answer in place of the normal one, for the kinds that have a fixed answer or body.
  var response: HTTPServerResponse?

  /// Whether the rule has a fixed answer. Such a rule applies before the request is checked.
  var hasOwnStatus: Bool { [.refusal, .body, .status].contains(kind) }
  var flood: Flood { Flood(keys["flood"] ?? .null) }
  /// The number of deltas after which the connection is cut.
  var dropAfter: Int? { keys["drop_after"]?.wholeNumber }

  // MARK: Changes of the normal answer

  var headers: HeaderFields {
    (keys["headers"]?.objectValue ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value.stringValue ?? "") }
  }
  /// The members to replace in the JSON of the answer; `null` removes one.
  var members: [String: ChappieJSONValue] { keys["members"]?.objectValue ?? [:] }
  /// A change of the ID token, so that a client must refuse it.
  var idToken: ChappieJSONValue? { keys["id_token"] }
  var text: String? { keys["text"]?.stringValue }
  var toolCalls: [ToolCall]? { keys["tool_calls"]?.arrayValue?.map(ToolCall.init(scripted:)) }
  var events: [ChappieJSONValue]? { keys["events"]?.arrayValue }
  var deltaDelay: Duration? { duration("delta_delay_ms") }
  /// The number of deltas after which the answer waits for a release.
  var holdAfter: Int? { keys["hold_after"]?.wholeNumber }
  /// The number of deltas after which the body ends cleanly.
  var endAfter: Int? { keys["end_after"]?.wholeNumber }
  /// Refuses the plain form of a request for a model that asks for the lite form.
  var requiresLite: Bool { keys["requires_lite"] == true }
  /// How a search of the web differs from the usual one.
  var search: ChappieJSONValue { keys["search"] ?? .null }
  /// Refuses a request that sends searches of the web back.
  var refusesSearchItems: Bool { keys["refuses_search_items"] == true }
  /// Refuses a request with files.
  var refusesFiles: Bool { keys["refuses_files"] == true }
  /// Messages over the WebSocket after the end of the answer.
  var late: [ChappieJSONValue] { keys["late"]?.arrayValue ?? [] }
  /// Whether these messages wait for a release.
  var holdsLate: Bool { keys["hold_late"] == true }

  private func duration(_ key: String) -> Duration? { keys[key]?.integerValue.map { .milliseconds($0) } }

  // MARK: Answers

  /// Waits for the delay of the rule or for a release, which ``replacement(_:)`` does too.
  @GLibActor
  func waitForDelay(_ releases: Observers<Void>) async throws {
    if let delay = duration("delay_ms"), delay > .zero { try await sleep(for: delay) }
    if keys["hold"] == true { try await Release(releases).wait() }
  }

  /// Never answers.
  @GLibActor
  func hang() async throws -> Never {
    while true { try await sleep(for: .seconds(3600)) }
  }

  /// Waits for the delay of the rule, and returns its fixed answer; nil if it changes the normal answer.
  @GLibActor
  func replacement(_ releases: Observers<Void>) async throws -> HTTPServerAnswer? {
    try await waitForDelay(releases)
    if kind == .hang { try await hang() }
    if kind == .flood {
      return .stream(.init(status: 200, headers: [("content-type", "text/event-stream")])) { stream in
        try await flood.play { try await stream.write($0.frame) }
      }
    }
    guard kind == .raw, let response else { return response.map { .whole($0) } }
    return .stream(HTTPServerResponse(status: response.status, headers: response.headers)) { stream in
      try await stream.write(response.body)
      if dropAfter != nil { stream.abort() }
    }
  }
}

// MARK: - Reading

extension StandInRule {
  private static let everywhere = Set(Kind.allCases)
  private static let texts = JSONForm("an object of strings") { value in
    value.objectValue?.allSatisfy { $0.value.stringValue != nil } == true
  }

  /// The keys of rules: their values, and the kinds of rules and the endpoints that they go with.
  private static let table: [String: (form: JSONForm, kinds: Set<Kind>, endpoints: Set<StandInEndpoint>)] = [
    "endpoint": (.string, everywhere, .scripted),
    "times": (
      JSONForm("a number from 1 on, or \"always\"") { $0 == "always" || $0.wholeNumber ?? 0 > 0 }, everywhere, .scripted
    ),
    "hang": (.bool, everywhere, .scripted),
    "delay_ms": (.milliseconds, everywhere.subtracting([.hang]), .scripted),
    "hold": (.bool, everywhere.subtracting([.hang]), .scripted),
    "headers": (texts, everywhere.subtracting([.hang, .flood]), .scripted),
    "flood": (Flood.form, [.flood], .answers),
    "refusal": (.string, [.refusal], NamedRefusal.endpoints),
    "param": (.string, [.refusal], .scripted),
    "in_stream": (NamedRefusal.Event.form, [.refusal], .scripted),
    "status": (.integer(200...599), [.raw, .body, .status], .scripted),
    "body": (.any, [.body], .scripted),
    "raw": (.string, [.raw], .scripted),
    "drop_after": (.integer(0...Int.max), [.raw, .change], .scripted),
    "members": (.object, [.change], .scripted.subtracting(.answers)),
    "id_token": (idTokenForm, [.change], [.browserToken, .browserRefresh]),
    "text": (.string, [.change], .answers),
    "tool_calls": (.list(of: ToolCall.form), [.change], .answers),
    "events": (.objects, [.change], .answers),
    "search": (WebSearch.form, [.change], .answers),
    "refuses_search_items": (.bool, [.change], .answers),
    "refuses_files": (.bool, [.change], .answers),
    "requires_lite": (.bool, [.change], .answers),
    "delta_delay_ms": (.milliseconds, [.change], .answers),
    "hold_after": (.integer(0...Int.max), [.change], .answers),
    "late": (.objectsAndTexts, [.change], .answers),
    "hold_late": (.bool, [.change], .answers),
    "end_after": (.integer(0...Int.max), [.change], .answers),
  ]

  /// Pairs of keys of which the first excludes the second.
  private static let exclusive = [
    ("delay_ms", "hold"), ("text", "events"), ("tool_calls", "events"), ("drop_after", "end_after"), ("text", "search"),
    ("tool_calls", "search"), ("events", "search"),
  ]

  private static let idTokenForm = JSONForm.members([
    "claims": .object, "signature": .choice(of: SigningKeys.Fault.self),
  ])

  /// Reads the rules of a scenario, a JSON list.
  static func list(parsing bytes: [UInt8]) throws(StandInScenarioError) -> [StandInRule] {
    guard let elements = ChappieJSONValue(body: bytes).arrayValue else {
      throw StandInScenarioError(description: "a scenario is a JSON list of rules")
    }
    var rules: [StandInRule] = []
    for (index, element) in elements.enumerated() {
      do throws(StandInScenarioError) {
        rules.append(try StandInRule(element))
      } catch {
        throw StandInScenarioError(description: "rule \(index + 1): \(error.description)")
      }
    }
    return rules
  }

  private init(_ rule: ChappieJSONValue) throws(StandInScenarioError) {
    self.init(keys: rule.objectValue ?? [:])
    guard let endpoint = keys["endpoint"]?.stringValue.flatMap(StandInEndpoint.init), Set.scripted.contains(endpoint)
    else {
      let names = StandInEndpoint.allCases.filter(Set.scripted.contains).map(\.rawValue)
      throw StandInScenarioError(description: "'endpoint' must be one of \(names.joined(separator: ", "))")
    }
    let given = keys.filter { $0.key != "hang" || $0.value == true }
    let kind = Kind.allCases.first { given[$0.rawValue] != nil } ?? .change
    var allowed = Self.table.filter { $0.value.kinds.contains(kind) && $0.value.endpoints.contains(endpoint) }
    if keys["late"]?[0] == nil { allowed["hold_late"] = nil }
    try JSONForm.members(allowed.mapValues(\.form), exclusive: Self.exclusive).check(rule, as: "rule")
    self.endpoint = endpoint
    self.kind = kind
    times = keys["times"].map { $0.wholeNumber ?? .max } ?? 1
    let (status, text) = (keys["status"]?.wholeNumber ?? 200, keys[kind.rawValue]?.stringValue)
    switch kind {
    case .refusal: try readRefusal()
    case .raw:
      let type = endpoint.isResponses ? "text/event-stream" : "application/json"
      response = HTTPServerResponse(status: status, type: type, text ?? "", headers: headers)
    case .body:
      response =
        text.map { HTTPServerResponse(status: status, type: "text/plain", $0, headers: headers) }
        ?? .json(keys["body"] ?? .null, status: status, headers: headers)
    case .status: response = HTTPServerResponse(status: status, headers: headers)
    case .hang, .flood, .change: break
    }
  }

  private mutating func readRefusal() throws(StandInScenarioError) {
    let (name, param) = (keys["refusal"]?.stringValue ?? "", keys["param"]?.stringValue)
    guard let refusal = NamedRefusal.named(name, at: endpoint) else {
      let names = NamedRefusal.all(at: endpoint).map(\.name).joined(separator: ", ")
      throw StandInScenarioError(description: "'refusal' must be one of \(names)")
    }
    guard let inStream = keys["in_stream"], inStream != false else {
      response = refusal.response(param: param, headers: headers)
      return
    }
    let event = inStream.stringValue.flatMap(NamedRefusal.Event.init) ?? .failed
    guard endpoint.isResponses, let events = refusal.events(event, param: param) else {
      throw StandInScenarioError(description: "'in_stream' does not go with '\(name)' at this endpoint")
    }
    kind = .change
    keys["events"] = .array(events)
  }
}

extension ToolCall {
  fileprivate static let form = JSONForm.members(
    ["name": .string, "namespace": .string, "call_id": .string, "input": .string, "arguments": .any],
    required: "name", exclusive: [("input", "arguments")])

  init(scripted call: ChappieJSONValue) {
    let (input, arguments) = (call["input"]?.stringValue, call["arguments"] ?? [:])
    self.init(
      name: call["name"]?.stringValue ?? "", namespace: call["namespace"]?.stringValue, isCustom: input != nil,
      text: input ?? arguments.stringValue ?? arguments.json)
    id = call["call_id"]?.stringValue ?? id
  }
}
