// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import HTTPTestServer

extension StandInRule {
  /// Reads the rules of a scenario, a JSON list.
  static func list(parsing bytes: [UInt8]) throws(StandInScenarioError) -> [StandInRule] {
    guard let elements = ChappieJSONValue(body: bytes).arrayValue else {
      throw StandInScenarioError(description: "a scenario is a JSON list of rules")
    }
    var rules: [StandInRule] = []
    for (index, element) in elements.enumerated() {
      do throws(StandInScenarioError) {
        let reader = try RuleReader(element)
        rules.append(try StandInRule(reader))
        try reader.end()
      } catch {
        throw StandInScenarioError(description: "rule \(index + 1): \(error.description)")
      }
    }
    return rules
  }

  private init(_ reader: RuleReader) throws(StandInScenarioError) {
    let name = try reader.string("endpoint")
    guard let endpoint = StandInEndpoint.scripted.first(where: { $0.rawValue == name }) else {
      let names = StandInEndpoint.scripted.map(\.rawValue).joined(separator: ", ")
      throw StandInScenarioError(description: "'endpoint' must be one of \(names)")
    }
    self.endpoint = endpoint
    let times = try reader.read("times", "a number from 1 on, or \"always\"") { value in
      value == "always" ? Int.max : value.integerValue.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
    }
    self.times = times ?? 1
    if try reader.bool("hang") == true {
      delay = .zero
      action = .hang
    } else {
      delay = try reader.milliseconds("delay_ms") ?? .zero
      action = try Self.action(reader, endpoint)
    }
  }

  private static func action(
    _ reader: RuleReader, _ endpoint: StandInEndpoint
  ) throws(StandInScenarioError) -> Action {
    if endpoint.isResponses, let flood = try reader.part("flood") { return .flood(try Flood(flood)) }
    let headers = try headers(reader)
    if let refusal = try NamedRefusal.read(reader, at: endpoint) {
      return try action(refusal, reader, headers, endpoint)
    }
    let status = try reader.integer("status", in: 200...599)
    if let raw = try reader.string("raw") {
      let type = endpoint.isResponses ? "text/event-stream" : "application/json"
      let cuts = try reader.integer("drop_after", in: 0...Int.max) != nil
      return .raw(HTTPServerResponse(status: status ?? 200, type: type, raw, headers: headers), cuts: cuts)
    }
    switch reader.take("body") {
    case nil:
      guard let status else { return .change(try change(reader, headers, endpoint)) }
      return .answer(HTTPServerResponse(.init(status: status, headers: headers)))
    case .string(let text):
      return .answer(HTTPServerResponse(status: status ?? 200, type: "text/plain", text, headers: headers))
    case .some(let value): return .answer(.json(value, status: status ?? 200, headers: headers))
    }
  }

  private static func headers(
    _ reader: RuleReader
  ) throws(StandInScenarioError) -> [(name: String, value: String)] {
    let members = try reader.object("headers") ?? [:]
    let texts = members.compactMapValues(\.stringValue)
    guard texts.count == members.count else {
      throw StandInScenarioError(description: "the values of 'headers' must be strings")
    }
    return texts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func action(
    _ refusal: NamedRefusal, _ reader: RuleReader, _ headers: [(name: String, value: String)],
    _ endpoint: StandInEndpoint
  ) throws(StandInScenarioError) -> Action {
    let param = try reader.string("param")
    // False is the same as no member.
    let event = try reader.read("in_stream", "true, false or one of \(NamedRefusal.Event.names)") {
      value -> NamedRefusal.Event?? in
      switch value {
      case .bool(let isInStream): .some(isInStream ? NamedRefusal.Event.failed : nil)
      default: value.stringValue.flatMap(NamedRefusal.Event.init).map { .some($0) }
      }
    }
    guard case let event?? = event else { return .answer(refusal.response(param: param, headers: headers)) }
    guard endpoint.isResponses, let events = refusal.events(event, param: param) else {
      throw StandInScenarioError(description: "'in_stream' does not go with '\(refusal.name)' at this endpoint")
    }
    var change = Change()
    (change.headers, change.events) = (headers, events)
    return .change(change)
  }

  private static func change(
    _ reader: RuleReader, _ headers: [(name: String, value: String)], _ endpoint: StandInEndpoint
  ) throws(StandInScenarioError) -> Change {
    var change = Change()
    change.headers = headers
    if let deltas = try reader.integer("drop_after", in: 0...Int.max) { change.ending = .dropAfter(deltas: deltas) }
    guard endpoint.isResponses else {
      change.members = try reader.object("members") ?? [:]
      if endpoint == .browserToken || endpoint == .browserRefresh {
        if let part = try reader.part("id_token") {
          change.idToken = IDTokenChange(claims: try part.object("claims") ?? [:], fault: try part.choice("signature"))
        }
      }
      return change
    }
    change.text = try reader.string("text")
    if let calls = try reader.list("tool_calls") {
      change.toolCalls = []
      for call in calls { change.toolCalls?.append(try ToolCall(reader.part(of: call))) }
    }
    if change.text == nil, change.toolCalls == nil { change.events = try reader.list("events") }
    change.requiresLite = try reader.bool("requires_lite") ?? false
    let isFrame = { (value: ChappieJSONValue) in value.objectValue != nil || value.stringValue != nil }
    change.late = try reader.list("late", "a list of objects and texts", of: isFrame) ?? []
    if !change.late.isEmpty { change.lateDelay = try reader.milliseconds("late_delay_ms") ?? .zero }
    change.deltaDelay = try reader.milliseconds("delta_delay_ms")
    if change.ending == .complete, let deltas = try reader.integer("end_after", in: 0...Int.max) {
      change.ending = .endAfter(deltas: deltas)
    }
    return change
  }
}

extension ToolCall {
  fileprivate init(_ reader: RuleReader) throws(StandInScenarioError) {
    guard let name = try reader.string("name") else {
      throw StandInScenarioError(description: "a tool call needs a 'name'")
    }
    let (namespace, id) = (try reader.string("namespace"), try reader.string("call_id"))
    if let input = try reader.string("input") {
      self.init(id: id, name: name, namespace: namespace, isCustom: true, input)
    } else {
      let arguments = reader.take("arguments") ?? [:]
      self.init(id: id, name: name, namespace: namespace, arguments.stringValue ?? arguments.json)
    }
  }
}
