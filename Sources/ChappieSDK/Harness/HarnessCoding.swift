// SPDX-License-Identifier: Apache-2.0
extension ChappieHarness: JSONRecord, Codable {
  package static var subject: String { "the harness" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init()
    name = try fields.string("name") ?? name
    summary = try fields.string("summary") ?? summary
    instructions = try fields.string("instructions") ?? instructions
    capabilities = try fields.strings("capabilities") ?? capabilities
    tools = try fields.list("tools", ChappieHarnessTool.init) ?? tools
    plugins = try fields.list("plugins", ChappieHarnessPlugin.init) ?? plugins
  }

  package var jsonValue: ChappieJSONValue {
    [
      "name": .string(name), "summary": .string(summary), "instructions": .string(instructions),
      "capabilities": .array(capabilities.map { .string($0) }), "tools": .array(tools.map(\.jsonValue)),
      "plugins": .array(plugins.map(\.jsonValue)),
    ]
  }
}

extension ChappieHarnessTool: JSONRecord, Codable {
  package static var subject: String { "the tool" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(name: try fields.name("name"), description: try fields.string("description") ?? "")
    inputSchema = fields["inputSchema"] ?? inputSchema
    if let word = try fields.string("policy") {
      policy = try ChappieToolPolicy(word: word)
    }
    isToBeStrict = try fields.bool("strict") ?? false
    _ = try argumentsSchema()
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = [
      "name": .string(name), "description": .string(description), "inputSchema": inputSchema,
      "policy": .string(policy.rawValue),
    ]
    if isToBeStrict { members["strict"] = true }
    return .object(members)
  }
}

extension ChappieToolPolicy {
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the valid policies.
  package init(word: String) throws(ChappieClientError) {
    guard let policy = ChappieToolPolicy(rawValue: word) else {
      throw .invalidArgument(
        "There is no tool policy '\(Redaction.message(word))': use automatic, ask or deny.")
    }
    self = policy
  }
}

extension ChappieHarnessPlugin: JSONRecord, Codable {
  package static var subject: String { "the plugin" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      name: try fields.name("name"), description: try fields.string("description") ?? "",
      version: try fields.string("version"))
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = ["name": .string(name), "description": .string(description)]
    members["version"] = version.map { .string($0) }
    return .object(members)
  }
}

extension ChappiePluginManifest: JSONRecord, Codable {
  package static var subject: String { "the plugin manifest" }

  package init(_ fields: JSONFields) throws(ChappieClientError) {
    self.init(
      identifier: try fields.name("identifier"), displayName: try fields.name("displayName"),
      summary: try fields.require("summary", fields.string("summary")), version: try fields.string("version"),
      harness: try ChappieHarness(
        JSONFields(fields.require("harness", fields["harness"]), of: fields.part("harness"))),
      tools: try fields.list("tools", ChappieHarnessTool.init) ?? [],
      plugins: try fields.list("plugins", ChappieHarnessPlugin.init) ?? [],
      metadata: try fields.object("metadata") ?? [:])
  }

  package var jsonValue: ChappieJSONValue {
    var members: [String: ChappieJSONValue] = [
      "identifier": .string(identifier), "displayName": .string(displayName), "summary": .string(summary),
      "harness": harness.jsonValue, "tools": .array(tools.map(\.jsonValue)),
      "plugins": .array(plugins.map(\.jsonValue)), "metadata": .object(metadata),
    ]
    members["version"] = version.map { .string($0) }
    return .object(members)
  }
}
