// SPDX-License-Identifier: Apache-2.0
import ChappieMCP
import ChappieSDK
import GLibBridge
import ServiceConfiguration

extension ChappieHarness {
  /// Decodes the harness of a caller: the preset, or else the name of the service and the instructions of
  /// ``ChappieHarness``, changed by the other keys.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument` or `LimitExceeded`, ``ChappieClientError``.
  init(_ dictionary: VariantDictionary) throws {
    try Limits.harnessBytes.check(dictionary.variant.byteCount)
    self =
      try dictionary.value("preset").map { try ChappieHarness(preset: $0) } ?? ChappieHarness(name: Self.chappie.name)
    name = try dictionary.value("name") ?? name
    summary = try dictionary.value("summary") ?? summary
    instructions = try dictionary.value("instructions") ?? instructions
    capabilities = try dictionary.value("capabilities") ?? capabilities
    if let tools: [VariantDictionary] = try dictionary.value("tools") {
      self.tools = try tools.map { try ChappieHarnessTool($0) }
    }
    if let plugins: [VariantDictionary] = try dictionary.value("plugins") {
      self.plugins = try plugins.map { try ChappieHarnessPlugin($0) }
    }
    _ = try argumentsSchemas()
  }

  private init(preset: String) throws {
    let known = ["default", "none"] + ChappieHarnessSamples.named.keys.sorted()
    let presets = ChappieHarnessSamples.named.merging(["default": .chappie, "none": .none]) { first, _ in first }
    guard let harness = presets[preset] else {
      throw BusError(
        .invalidArgument, "There is no harness preset '\(preset)': use one of \(known.joined(separator: ", ")).")
    }
    self = harness
  }

  /// The `Harness` property of a client.
  var dictionary: VariantDictionary {
    [
      "name": name, "summary": summary, "instructions": instructions, "capabilities": capabilities,
      "tools": tools.map(\.dictionary), "plugins": plugins.map(\.dictionary),
    ]
  }
}

extension ChappieHarnessTool {
  /// Decodes a tool. It does not check the name and the schema: `argumentsSchema()` does.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument` or `LimitExceeded`, ``ChappieClientError``.
  init(_ dictionary: VariantDictionary) throws {
    guard let name: String = try dictionary.value("name") else {
      throw BusError(.invalidArgument, "A tool needs a 'name'.")
    }
    self.init(name: name, description: try dictionary.value("description") ?? "")
    if let text: String = try dictionary.value("input_schema") {
      inputSchema = try ChappieJSONValue(schema: text, "The 'input_schema' of the tool '\(name)'")
    }
    policy = try dictionary.value("policy").map(ChappieToolPolicy.init(word:)) ?? policy
  }

  var dictionary: VariantDictionary {
    ["name": name, "description": description, "input_schema": inputSchema.json, "policy": policy.rawValue]
  }
}

extension ChappieHarnessPlugin {
  /// Decodes a plugin.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument`.
  init(_ dictionary: VariantDictionary) throws {
    guard let name: String = try dictionary.value("name"), !name.isEmpty else {
      throw BusError(.invalidArgument, "A plugin needs a 'name'.")
    }
    self.init(
      name: name, description: try dictionary.value("description") ?? "", version: try dictionary.value("version"))
  }

  var dictionary: VariantDictionary {
    ["name": name, "description": description, "version": version]
  }
}

extension ChappieJSONValue {
  /// Parses the text of a JSON Schema.
  ///
  /// - Parameter name: its name at the beginning of an error's message.
  /// - Throws: `BusError` with `InvalidArgument` or `LimitExceeded`.
  init(schema text: String, _ name: String) throws {
    guard text.utf8.count <= JSONSchema.textLimit else {
      throw BusError(
        .limitExceeded,
        "\(name) has \(text.utf8.count) bytes, and \(JSONSchema.textLimit) are allowed: ask for less in it.")
    }
    do {
      try self.init(parsing: text.utf8.span, valueLimit: JSONSchema.valueLimit)
    } catch .malformed {
      throw BusError(.invalidArgument, "\(name) is no JSON.")
    } catch {
      throw BusError(
        .limitExceeded,
        "\(name) has more than \(JSONSchema.valueLimit) values, or is nested deeper than \(Self.depthLimit): "
          + "ask for less in it.")
    }
  }
}

extension MCPQuestion {
  /// The question on the bus: `server`, and `url` or `fields`.
  func dictionary(of server: String) -> VariantDictionary {
    switch kind {
    case .page(let page): ["server": server, "url": page]
    case .form(let fields): ["server": server, "fields": fields.map(\.dictionary)]
    }
  }
}

extension MCPQuestion.Field {
  fileprivate var dictionary: VariantDictionary {
    [
      "name": name, "title": title, "kind": choices.isEmpty ? "\(kind)" : "choice",
      "choices": choices.isEmpty ? nil : choices, "required": isRequired,
    ]
  }
}

extension MCPAnswer {
  /// The user's answer, as a caller gives it.
  ///
  /// - Throws: `BusError` with `InvalidArgument` for an unknown action.
  init(action: String, _ content: [String: ChappieJSONValue]) throws {
    switch action {
    case "accept": self = .accept(content)
    case "decline": self = .decline
    case "cancel": self = .cancel
    default:
      throw BusError(
        .invalidArgument, "'action' must be accept, decline or cancel, not '\(Redaction.message(action))'.")
    }
  }
}
