// SPDX-License-Identifier: Apache-2.0

/// Messages in JSON: the keys are the names of the properties; `images` and `options` are optional.
extension ChappieInputMessage: JSONCodable, Codable {
  package init(jsonValue json: ChappieJSONValue) throws(ChappieClientError) {
    let fields = try JSONFields(json, of: "the message")
    let word = try fields.require("role", fields.string("role"))
    guard let role = Role(rawValue: word) else { throw fields.wrong("role", "user, assistant, system or developer") }
    self.init(
      role: role, text: try fields.require("text", fields.string("text")),
      images: try fields.list("images") { (image) throws(ChappieClientError) in
        try ChappieImage(stored: image.require("url", image.string("url")))
      } ?? [],
      options: try ChappieMessageOptions(jsonValue: fields["options"] ?? [:]))
  }

  package var jsonValue: ChappieJSONValue {
    [
      "role": .string(role.rawValue), "text": .string(text),
      "images": .array(images.map { ["url": .string($0.url)] }), "options": options.jsonValue,
    ]
  }
}

extension ChappieMessageOptions: JSONCodable, Codable {
  package init(jsonValue json: ChappieJSONValue) throws(ChappieClientError) {
    let fields = try JSONFields(json, of: "the message's options")
    self.init(
      fastMode: try fields.bool("fastMode") ?? false,
      reasoningEffort: try fields.string("reasoningEffort").map { ChappieReasoningEffort(rawValue: $0) },
      model: try fields.string("model"), instructions: try fields.string("instructions"),
      outputSchema: fields["outputSchema"])
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = ["fastMode": .bool(fastMode)]
    members["reasoningEffort"] = reasoningEffort.map { .string($0.rawValue) }
    members["model"] = model.map { .string($0) }
    members["instructions"] = instructions.map { .string($0) }
    members["outputSchema"] = outputSchema
    return .object(members)
  }
}
