// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

// What the service and the program of a server send each other.

extension MCPListing {
  var json: ChappieJSONValue {
    [
      "name": .string(serverName), "version": .string(serverVersion), "revision": .string(revision),
      "instructions": instructions.map { .string($0) } ?? .null, "tools": .array(tools.map(\.pinned)),
    ]
  }

  /// - Throws: ``ChappieMCPError/unusable(_:)``.
  init(_ json: ChappieJSONValue) throws(ChappieMCPError) {
    let tools = try (json["tools"]?.arrayValue ?? []).map(MCPTool.init)
    self.init(
      serverName: json["name"]?.stringValue ?? "", serverVersion: json["version"]?.stringValue ?? "",
      revision: json["revision"]?.stringValue ?? "", instructions: json["instructions"]?.stringValue, tools: tools)
  }
}

extension MCPOutput {
  var json: ChappieJSONValue {
    ["text": .string(text), "images": .array(images.map { .string($0.url) }), "failed": .bool(isFailure)]
  }

  init(message: ChappieJSONValue) {
    self.init(
      text: message["text"]?.stringValue ?? "",
      images: (message["images"]?.arrayValue ?? []).compactMap(\.stringValue).compactMap { try? ChappieImage(url: $0) },
      isFailure: message["failed"] == true)
  }
}

extension MCPQuestion {
  /// The longest wait for the user.
  package static let patience = Duration.seconds(300)

  /// The question in the form of the protocol, as all surfaces get it.
  package var params: [String: ChappieJSONValue] {
    switch kind {
    case .page(let page): return ["mode": "url", "message": .string(message), "url": .string(page)]
    case .form(let fields):
      let properties = fields.map { ($0.name, $0.json) }
      let required = fields.filter(\.isRequired).map { ChappieJSONValue.string($0.name) }
      return [
        "message": .string(message),
        "requestedSchema": [
          "type": "object", "properties": .object(Dictionary(properties) { $1 }), "required": .array(required),
        ],
      ]
    }
  }
}

extension MCPQuestion.Field {
  fileprivate var json: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = ["title": .string(title), "type": .string(kind.rawValue)]
    if !choices.isEmpty { members["enum"] = .array(choices.map { .string($0) }) }
    return .object(members)
  }
}
