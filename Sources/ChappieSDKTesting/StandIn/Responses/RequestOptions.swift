import ChappieSDK

/// The optional parameters of a request for an answer.
struct RequestOptions {
  let callsTools: Bool
  let callsInParallel: Bool
  let wantsReasoning: Bool
  /// The schema of an answer that is JSON; nil for any answer.
  let outputSchema: ChappieJSONValue?

  init(checking body: ChappieJSONValue, _ model: Model) throws(InvalidRequest) {
    let effort = try Self.choice(body, "reasoning", "effort", among: model.efforts)
    _ = try Self.choice(body, "reasoning", "summary", among: ["auto", "concise", "detailed", "none"])
    _ = try Self.choice(body, "text", "verbosity", among: ["low", "medium", "high"])
    outputSchema = try Self.outputSchema(body["text"]?["format"])
    if let tier = body["service_tier"], tier != .null {
      guard let id = tier.stringValue, (model.serviceTiers + ["auto", "default"]).contains(id) else {
        throw InvalidRequest(detail: "Unsupported service_tier: \(tier.stringValue ?? tier.json)")
      }
    }
    let include = body["include"]?.arrayValue ?? []
    wantsReasoning = include.contains("reasoning.encrypted_content") && effort != "none"
    callsTools = body["tool_choice"]?.stringValue != "none"
    callsInParallel =
      body["parallel_tool_calls"]?.boolValue != false && model.json["supports_parallel_tool_calls"]?.boolValue != false
  }

  private static func choice(
    _ body: ChappieJSONValue, _ group: String, _ key: String, among values: [String]
  ) throws(InvalidRequest) -> String? {
    guard let members = body[group], members != .null else { return nil }
    guard members.objectValue != nil else { throw InvalidRequest(detail: "Invalid type: '\(group)' must be an object") }
    guard let value = members[key], value != .null else { return nil }
    guard let text = value.stringValue, values.contains(text) else {
      throw InvalidRequest(detail: "Invalid value: '\(value.stringValue ?? value.json)' is no \(group).\(key)")
    }
    return text
  }

  private static func outputSchema(_ format: ChappieJSONValue?) throws(InvalidRequest) -> ChappieJSONValue? {
    guard let format, format != .null else { return nil }
    switch format["type"]?.stringValue {
    case "text", "json_object": return nil
    case "json_schema":
      guard let name = format["name"]?.stringValue, let schema = format["schema"], schema.objectValue != nil else {
        break
      }
      guard format["strict"] != true || schema["additionalProperties"] == false else {
        throw InvalidRequest(
          detail:
            "Invalid schema for response_format '\(name)': In context=(), 'additionalProperties' is required to be "
            + "supplied and to be false.")
      }
      return schema
    default: break
    }
    throw InvalidRequest(detail: "Invalid value: 'text.format' is not understood")
  }
}
