// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import Platform

/// An event of a turn. It is the same for every transport, and does not depend on how the answer was split into deltas.
///
/// In JSON an event is an object with a `kind`. Later versions may add kinds and fields, but never change or remove one:
///
/// | `kind` | fields |
/// | --- | --- |
/// | `input` | `message`: `role`, `text`, `images`, `options` |
/// | `output` | `text`, `model`, `responseID` |
/// | `citations` | `citations`: `url`, `title`, `start`, `end` |
/// | `tool-call` | `callID`, `name`, `arguments` |
/// | `tool-output` | `callID`, `name`, `status`, `output` |
/// | `payload` | `item` |
/// | `error` | `name`, `message` |
/// | `compaction` | `summary` |
public enum ChappieTurnEvent: Sendable, Hashable {
  /// The message to the model.
  case input(ChappieInputMessage)
  /// The complete text of the answer. If the turn failed, the text that had arrived, with an empty `responseID`.
  case output(text: String, model: String, responseID: String)
  /// The sources that the text before it names.
  case citations([ChappieCitation])
  /// A tool call by the model; `arguments` is JSON text.
  case toolCall(callID: String, name: String, arguments: String)
  /// The output of the tool.
  case toolOutput(callID: String, name: String, status: ChappieToolExecutionResult.Status, output: String)
  /// Any other item of the answer, as the backend sent it, such as encrypted reasoning. Messages are
  /// ``output(text:model:responseID:)`` and tool calls are ``toolCall(callID:name:arguments:)``.
  case payload(ChappieJSONValue)
  /// The turn failed; `name` identifies the error, `message` is a sentence for a person.
  case error(name: String, message: String)
  /// A summary replaced the conversation up to here.
  case compaction(summary: String)
  /// An event that this version does not know, as a later version wrote it.
  case other(ChappieJSONValue)
}

extension ChappieTurnEvent: JSONCodable, Codable {
  /// An unknown or invalid event becomes ``other(_:)``, so that the rest of its thread stays readable.
  package init(jsonValue json: ChappieJSONValue) {
    self = (try? Self.known(json)) ?? .other(json)
  }

  private static func known(_ json: ChappieJSONValue) throws(ChappieClientError) -> ChappieTurnEvent? {
    let fields = try JSONFields(json, of: "the event")
    func text(_ name: String) throws(ChappieClientError) -> String { try fields.require(name, fields.string(name)) }
    switch try text("kind") {
    case "input":
      return .input(try ChappieInputMessage(jsonValue: fields.require("message", fields["message"])))
    case "output":
      return .output(text: try text("text"), model: try text("model"), responseID: try text("responseID"))
    case "citations":
      return .citations((fields["citations"]?.arrayValue ?? []).compactMap(ChappieCitation.init))
    case "tool-call":
      return .toolCall(callID: try text("callID"), name: try text("name"), arguments: try text("arguments"))
    case "tool-output":
      let status = ChappieToolExecutionResult.Status(rawValue: try text("status"))
      return .toolOutput(
        callID: try text("callID"), name: try text("name"), status: try fields.require("status", status),
        output: try text("output"))
    case "payload": return .payload(json["item"] ?? .null)
    case "error": return .error(name: try text("name"), message: try text("message"))
    case "compaction": return .compaction(summary: try text("summary"))
    default: return nil
    }
  }

  package var jsonValue: ChappieJSONValue {
    switch self {
    case .input(let message): ["kind": "input", "message": message.jsonValue]
    case .output(let text, let model, let responseID):
      ["kind": "output", "text": .string(text), "model": .string(model), "responseID": .string(responseID)]
    case .citations(let citations):
      ["kind": "citations", "citations": .array(citations.map(\.jsonValue))]
    case .toolCall(let callID, let name, let arguments):
      ["kind": "tool-call", "callID": .string(callID), "name": .string(name), "arguments": .string(arguments)]
    case .toolOutput(let callID, let name, let status, let output):
      [
        "kind": "tool-output", "callID": .string(callID), "name": .string(name), "status": .string(status.rawValue),
        "output": .string(output),
      ]
    case .payload(let item): ["kind": "payload", "item": item]
    case .error(let name, let message): ["kind": "error", "name": .string(name), "message": .string(message)]
    case .compaction(let summary): ["kind": "compaction", "summary": .string(summary)]
    case .other(let json): json
    }
  }
}

extension ChappieCitation {
  fileprivate init?(_ json: ChappieJSONValue) {
    guard let address = json["url"]?.stringValue else { return nil }
    let bounds = ["start", "end"].compactMap { json[$0]?.count?.value }
    self.init(
      url: ChappieAddress(address: address), title: json["title"]?.stringValue ?? "",
      range: bounds.count == 2 && bounds[0] <= bounds[1] ? bounds[0]..<bounds[1] : nil)
  }

  fileprivate var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = ["url": .string(url.address), "title": .string(title)]
    members["start"] = range.map { .integer(Int64($0.lowerBound)) }
    members["end"] = range.map { .integer(Int64($0.upperBound)) }
    return .object(members)
  }
}
