// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

extension StandInRule {
  /// What a rule does: the first of these keys that it has decides.
  private enum Kind: String, CaseIterable {
    case hang, flood, refusal, raw, body, status, change
  }

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
    "id_token": (IDTokenChange.form, [.change], [.browserToken, .browserRefresh]),
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
    "late_delay_ms": (.milliseconds, [.change], .answers),
    "end_after": (.integer(0...Int.max), [.change], .answers),
  ]

  /// Pairs of keys of which the first excludes the second.
  private static let exclusive = [
    ("text", "events"), ("tool_calls", "events"), ("drop_after", "end_after"), ("text", "search"),
    ("tool_calls", "search"), ("events", "search"),
  ]

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
    let keys = rule.objectValue ?? [:]
    guard let endpoint = keys["endpoint"]?.stringValue.flatMap(StandInEndpoint.init), Set.scripted.contains(endpoint)
    else {
      let names = StandInEndpoint.allCases.filter(Set.scripted.contains).map(\.rawValue)
      throw StandInScenarioError(description: "'endpoint' must be one of \(names.joined(separator: ", "))")
    }
    let given = keys.filter { $0.key != "hang" || $0.value == true }
    let kind = Kind.allCases.first { given[$0.rawValue] != nil } ?? .change
    var allowed = Self.table.filter { $0.value.kinds.contains(kind) && $0.value.endpoints.contains(endpoint) }
    if keys["late"]?[0] == nil { allowed["late_delay_ms"] = nil }
    try JSONForm.members(allowed.mapValues(\.form), exclusive: Self.exclusive).check(rule, as: "rule")
    self.endpoint = endpoint
    times = keys["times"].map { $0.wholeNumber ?? .max } ?? 1
    delay = keys["delay_ms"].map(\.milliseconds) ?? .zero
    let (change, status) = (Change(keys: keys), keys["status"]?.wholeNumber ?? 200)
    let text = keys[kind.rawValue]?.stringValue
    switch kind {
    case .hang: action = .hang
    case .flood: action = .flood(Flood(keys["flood"] ?? .null))
    case .refusal: action = try Self.refusal(keys, endpoint)
    case .raw:
      let type = endpoint.isResponses ? "text/event-stream" : "application/json"
      let response = HTTPServerResponse(status: status, type: type, text ?? "", headers: change.headers)
      action = .raw(response, cuts: keys["drop_after"] != nil)
    case .body:
      action = .answer(
        text.map { HTTPServerResponse(status: status, type: "text/plain", $0, headers: change.headers) }
          ?? .json(keys["body"] ?? .null, status: status, headers: change.headers))
    case .status: action = .answer(HTTPServerResponse(.init(status: status, headers: change.headers)))
    case .change: action = .change(change)
    }
  }

  private static func refusal(
    _ keys: [String: ChappieJSONValue], _ endpoint: StandInEndpoint
  ) throws(StandInScenarioError) -> Action {
    let name = keys["refusal"]?.stringValue ?? ""
    guard let refusal = NamedRefusal.named(name, at: endpoint) else {
      let names = NamedRefusal.all(at: endpoint).map(\.name).joined(separator: ", ")
      throw StandInScenarioError(description: "'refusal' must be one of \(names)")
    }
    let (param, headers) = (keys["param"]?.stringValue, Change(keys: keys).headers)
    guard let inStream = keys["in_stream"], inStream != false else {
      return .answer(refusal.response(param: param, headers: headers))
    }
    let event = inStream.stringValue.flatMap(NamedRefusal.Event.init) ?? .failed
    guard endpoint.isResponses, let events = refusal.events(event, param: param) else {
      throw StandInScenarioError(description: "'in_stream' does not go with '\(name)' at this endpoint")
    }
    return .change(Change(keys: ["headers": keys["headers"] ?? [:], "events": .array(events)]))
  }
}

extension IDTokenChange {
  fileprivate static let form = JSONForm.members([
    "claims": .object, "signature": .choice(of: SigningKeys.Fault.self),
  ])
}

extension ToolCall {
  fileprivate static let form = JSONForm.members(
    ["name": .string, "namespace": .string, "call_id": .string, "input": .string, "arguments": .any],
    required: "name", exclusive: [("input", "arguments")])

  init(scripted call: ChappieJSONValue) {
    let (input, arguments) = (call["input"]?.stringValue, call["arguments"] ?? [:])
    self.init(
      id: call["call_id"]?.stringValue, name: call["name"]?.stringValue ?? "",
      namespace: call["namespace"]?.stringValue, isCustom: input != nil,
      input ?? arguments.stringValue ?? arguments.json)
  }
}
