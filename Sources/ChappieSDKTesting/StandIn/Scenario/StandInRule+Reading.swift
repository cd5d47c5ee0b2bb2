import ChappieSDK
import FoundationEssentials
import GLibBridge
import HTTPTestServer

/// An error in a scenario, or in a change of models or usage.
public struct StandInScenarioError: LocalizedError, Equatable, CustomStringConvertible {
  /// The error in a sentence. For a scenario, it names the number of the rule.
  public let description: String
  public var errorDescription: String? { description }
}

extension StandInRule {
  /// Reads the rules of a scenario, a JSON list.
  ///
  /// Unknown keys are errors, because with a mistyped key a test could pass without testing anything.
  static func list(parsing bytes: [UInt8]) throws(StandInScenarioError) -> [StandInRule] {
    guard let json = try? ChappieJSONValue(parsing: bytes.span), case .array(let elements) = json else {
      throw StandInScenarioError(description: "a scenario is a JSON list of rules")
    }
    var rules: [StandInRule] = []
    for (index, element) in elements.enumerated() {
      do throws(Reader.Problem) {
        var reader = try Reader(element)
        rules.append(try StandInRule(&reader))
        try reader.expectEnd()
      } catch {
        throw StandInScenarioError(description: "rule \(index + 1): \(error.text)")
      }
    }
    return rules
  }

  private init(_ reader: inout Reader) throws(Reader.Problem) {
    let name = try reader.string("endpoint")
    guard let name, let endpoint = StandInEndpoint(rawValue: name), StandInEndpoint.scripted.contains(endpoint) else {
      let names = StandInEndpoint.scripted.map(\.rawValue).joined(separator: ", ")
      throw Reader.Problem(text: "'endpoint' must be one of \(names)")
    }
    self.endpoint = endpoint
    times = try reader.times("times")
    if try reader.bool("hang") == true {
      delay = .zero
      action = .hang
    } else {
      delay = .milliseconds(try reader.integer("delay_ms", in: 0...86_400_000) ?? 0)
      action = try Self.action(&reader, endpoint)
    }
  }

  private static func action(_ reader: inout Reader, _ endpoint: StandInEndpoint) throws(Reader.Problem) -> Action {
    if endpoint.isResponses, let flood = try reader.flood("flood") { return .flood(flood) }
    let headers = try reader.headers("headers")
    if let refusal = try reader.refusal("refusal", endpoint) {
      let param = try reader.string("param")
      guard let event = try reader.refusalEvent("in_stream") else {
        return .answer(refusal.response(param: param, headers: headers))
      }
      guard endpoint.isResponses, let events = refusal.events(event, param: param) else {
        throw Reader.Problem(text: "'in_stream' does not go with '\(refusal.name)' at this endpoint")
      }
      var change = Change()
      (change.headers, change.events) = (headers, events)
      return .change(change)
    }
    let status = try reader.integer("status", in: 200...599)
    if let raw = try reader.string("raw") {
      let type = endpoint.isResponses ? "text/event-stream" : "application/json"
      let head = HTTPServerResponse.Head(status: status ?? 200, headers: [("content-type", type)] + headers)
      let cuts = try reader.integer("drop_after", in: 0...Int.max) != nil
      return .raw(HTTPServerResponse(head, body: Array(raw.utf8)), cuts: cuts)
    }
    let body = reader.take("body")
    if status != nil || body != nil { return .answer(response(status ?? 200, headers, body)) }
    return .change(try change(&reader, headers, endpoint))
  }

  private static func response(
    _ status: Int, _ headers: [(name: String, value: String)], _ body: ChappieJSONValue?
  ) -> HTTPServerResponse {
    switch body {
    case nil: HTTPServerResponse(.init(status: status, headers: headers))
    case .string(let text): HTTPServerResponse(status: status, type: "text/plain", text, headers: headers)
    case .some(let value): .json(value, status: status, headers: headers)
    }
  }

  private static func change(
    _ reader: inout Reader, _ headers: [(name: String, value: String)], _ endpoint: StandInEndpoint
  ) throws(Reader.Problem) -> Change {
    var change = Change()
    change.headers = headers
    if let deltas = try reader.integer("drop_after", in: 0...Int.max) { change.ending = .dropAfter(deltas: deltas) }
    guard endpoint.isResponses else {
      change.members = try reader.object("members")
      change.idToken = try reader.idToken("id_token", endpoint)
      return change
    }
    change.text = try reader.string("text")
    change.toolCalls = try reader.toolCalls("tool_calls")
    if change.text == nil, change.toolCalls == nil { change.events = try reader.objects("events") }
    change.requiresLite = try reader.bool("requires_lite") ?? false
    change.late = try reader.frames("late")
    if !change.late.isEmpty {
      change.lateDelay = .milliseconds(try reader.integer("late_delay_ms", in: 0...86_400_000) ?? 0)
    }
    change.deltaDelay = try reader.integer("delta_delay_ms", in: 0...86_400_000).map { .milliseconds($0) }
    if change.ending == .complete, let deltas = try reader.integer("end_after", in: 0...Int.max) {
      change.ending = .endAfter(deltas: deltas)
    }
    return change
  }
}
