// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import SecretMemory

/// The models of the backend, in the order of the list.
@GLibActor
final class ModelCatalogue {
  private var models: [Model]
  /// The slugs of retired models: they are not listed, and requests for them are refused.
  private var retired: Set<String>

  /// Changes with each change of the list.
  private(set) var etag = ""

  /// Makes the current catalogue.
  ///
  /// - Parameter contextWindow: the context window of all models in tokens; nil keeps the window of each model.
  init(contextWindow: Int?) {
    models = Self.today.map { model in
      guard let window = contextWindow.map({ ChappieJSONValue($0) }) else { return model }
      let small = ["context_window": window, "max_context_window": window]
      return Model(slug: model.slug, (model.json.objectValue ?? [:]).merging(small) { $1 })
    }
    retired = Self.retiredToday
    renewEtag()
  }

  /// Replaces the catalogue with a list of models, bare or as `{"models": […]}`; none of them is retired.
  func replace(_ json: ChappieJSONValue) throws(StandInScenarioError) {
    guard let list = json["models"]?.arrayValue ?? json.arrayValue else {
      throw StandInScenarioError(description: "a catalogue is a list of models")
    }
    var models: [Model] = []
    for entry in list { models.append(try Model(entry)) }
    self.models = models
    retired = []
    renewEtag()
  }

  /// Retires or restores a model.
  ///
  /// - Returns: whether the catalogue has the model.
  func setRetired(_ slug: String, _ isRetired: Bool) -> Bool {
    guard models.contains(where: { $0.slug == slug }) else { return false }
    if isRetired { retired.insert(slug) } else { retired.remove(slug) }
    renewEtag()
    return true
  }

  /// The list for a client of this version.
  func json(for client: ClientVersion) -> ChappieJSONValue {
    ["models": .array(offered.filter { $0.minimumClient.map { $0 <= client } ?? true }.map(\.json))]
  }

  /// The model with a slug; nil if it is retired or unknown.
  subscript(slug: String) -> Model? {
    offered.first { $0.slug == slug }
  }

  private var offered: [Model] { models.filter { !retired.contains($0.slug) } }

  private func renewEtag() {
    let digest = SHA256.digest(of: ChappieJSONValue.array(offered.map(\.json)).encoded).prefix(8)
    etag = "\"" + digest.map { String($0, radix: 16) }.joined() + "\""
  }
}

/// A model of the catalogue.
struct Model: Sendable {
  let slug: String
  /// The entry in the list of models.
  let json: ChappieJSONValue
  /// The oldest client that sees the model; nil for all.
  let minimumClient: ClientVersion?

  /// Makes a typical model. The members of `differences` replace or extend those of the entry.
  ///
  /// - Throws: ``StandInScenarioError`` if the entry has no slug.
  init(_ differences: ChappieJSONValue) throws(StandInScenarioError) {
    guard let slug = differences["slug"]?.stringValue, !slug.isEmpty, let changes = differences.objectValue else {
      throw StandInScenarioError(description: "a model is an object with a 'slug'")
    }
    self.init(slug: slug, changes)
  }

  init(slug: String, _ changes: [String: ChappieJSONValue]) {
    self.slug = slug
    // Clients expect a value of this member where it exists.
    let search = "web_search_tool_type"
    json = .object(Self.usual(slug).merging(changes) { $1 }.filter { $0.key != search || !$0.value.isNull })
    minimumClient = json["minimal_client_version"]?.stringValue.flatMap(ClientVersion.init)
  }

  // MARK: Limits for requests

  var contextWindow: Int { json["context_window"]?.integerValue.map { Int($0) } ?? .max }

  var takesImages: Bool { json["input_modalities"]?.arrayValue?.contains("image") ?? true }

  /// Whether clients shall send the lite form of requests.
  var wantsLite: Bool { json["use_responses_lite"]?.boolValue == true }

  /// The reasoning efforts that requests may name. `none` is always valid. `ultra` never is: clients send another
  /// effort in its place.
  var efforts: [String] {
    let listed = json["supported_reasoning_levels"]?.arrayValue?.compactMap { $0["effort"]?.stringValue } ?? []
    return ["none"] + listed.filter { $0 != "ultra" }
  }

  var serviceTiers: [String] {
    json["service_tiers"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
  }

  // MARK: Entries

  /// The members of a typical entry.
  private static func usual(_ slug: String) -> [String: ChappieJSONValue] {
    [
      "slug": .string(slug), "display_name": .string(slug), "description": "A model that repeats what it is told.",
      "default_reasoning_level": "medium",
      "supported_reasoning_levels": levels(upTo: "max"), "shell_type": "unified_exec",
      "visibility": "list", "minimal_client_version": "0.98.0", "supported_in_api": true, "priority": 50,
      "availability_nux": .null, "upgrade": .null, "base_instructions": "Repeat what you are told.",
      "supports_reasoning_summaries": true, "default_reasoning_summary": "none", "support_verbosity": true,
      "default_verbosity": "low", "apply_patch_tool_type": "freeform",
      "truncation_policy": ["mode": "tokens", "limit": 10000], "supports_parallel_tool_calls": true,
      "context_window": 272_000, "max_context_window": 872_000, "effective_context_window_percent": 95,
      "input_modalities": ["text", "image"], "supports_search_tool": true, "use_responses_lite": true,
      "web_search_tool_type": "text_and_image",
      "service_tiers": [
        ["id": "priority", "name": "Fast", "description": "Answers sooner and uses more of the plan."]
      ],
      "experimental_supported_tools": [],
    ]
  }

  /// The reasoning levels up to one. Clients send another effort in place of `ultra`.
  static func levels(upTo effort: String) -> ChappieJSONValue {
    let all = ["low", "medium", "high", "xhigh", "max", "ultra"]
    let names = all.prefix(through: all.firstIndex(of: effort) ?? 0)
    return .array(names.map { ["effort": .string($0), "description": .string("Thinks with \($0) effort.")] })
  }
}

/// The version of a client, such as `0.163.0`.
struct ClientVersion: Comparable {
  private let numbers: [Int]

  /// Parses a version, and ignores a suffix such as `-alpha.3`. Nil if the rest is not three numbers.
  init?(_ text: String) {
    let parts = text.prefix { $0 != "-" }.split(separator: ".", omittingEmptySubsequences: false)
    numbers = parts.compactMap { Int($0) }
    guard numbers.count == 3, parts.count == 3 else { return nil }
  }

  static func < (left: ClientVersion, right: ClientVersion) -> Bool {
    left.numbers.lexicographicallyPrecedes(right.numbers)
  }
}

extension ModelCatalogue {
  /// The models in version 0.163.0 of the Codex CLI, in its order, and newer models.
  static let today: [Model] = [
    // The minimum version of these two is a guess; 0.163.0 does not have them.
    model("gpt-6.2-sol", "GPT-6.2-Sol", priority: 0, upTo: "ultra", since: "0.164.0", delegating),
    model("gpt-6.1-terra", "GPT-6.1-Terra", priority: 6, upTo: "ultra", since: "0.164.0"),
    model("gpt-6-astra", "GPT-6-Astra", priority: 2, upTo: "ultra", since: "0.153.0", delegating),
    model("gpt-6.1-sol", "GPT-6.1-Sol", priority: 1, upTo: "ultra", since: "0.160.0", delegating),
    model("gpt-6-sol", "GPT-6-Sol", priority: 3, upTo: "ultra", since: "0.155.0"),
    model("gpt-6-luna", "GPT-6-Luna", priority: 4, upTo: "max", since: "0.155.0"),
    model("gpt-5.6-sol", "GPT-5.6-Sol", priority: 5, upTo: "ultra", since: "0.144.0"),
    model("gpt-5.6-terra", "GPT-5.6-Terra", priority: 8, upTo: "ultra", since: "0.144.0"),
    model(
      "gpt-5.6-luna", "GPT-5.6-Luna", priority: 9, upTo: "max", since: "0.144.0", ["web_search_tool_type": .null]),
    model(
      "gpt-daybreak-blue-latest", "Daybreak Blue", priority: 11, upTo: "ultra", since: "0.144.0",
      ["visibility": "hide", "service_tiers": [], "model_specialty": "cyber"]),
    model(
      "gpt-daybreak-red-latest", "Daybreak Red", priority: 12, upTo: "ultra", since: "0.144.0",
      [
        "visibility": "hide", "service_tiers": [], "model_specialty": "cyber", "default_verbosity": "high",
        "context_window": 372_000, "max_context_window": 372_000,
      ]),
    model(
      "gpt-5.5", "GPT-5.5", priority: 13, upTo: "xhigh", since: "0.98.0",
      [
        "use_responses_lite": false, "max_context_window": 272_000, "tool_mode": .null, "multi_agent_version": .null,
        "web_search_tool_type": "text",
      ]),
    model(
      "codex-auto-review", "Codex Auto Review", priority: 43, upTo: "max", since: "0.98.0",
      ["visibility": "hide", "multi_agent_version": "v1"]),
  ]

  /// The models of ``today`` that the backend has retired.
  static let retiredToday: Set = ["gpt-5.5"]

  /// The members of a model that names the effort to send for `ultra`. For other models, clients send the highest
  /// effort below `ultra`.
  private static let delegating: [String: ChappieJSONValue] = [
    "multi_agent_reasoning_effort": "xhigh", "default_reasoning_level": "low",
  ]

  private static func model(
    _ slug: String, _ name: String, priority: Int, upTo effort: String, since version: String,
    _ more: [String: ChappieJSONValue] = [:]
  ) -> Model {
    let usual: [String: ChappieJSONValue] = [
      "display_name": .string(name), "priority": ChappieJSONValue(priority),
      "supported_reasoning_levels": Model.levels(upTo: effort),
      "minimal_client_version": .string(version), "tool_mode": "code_mode_only", "multi_agent_version": "v2",
    ]
    return Model(slug: slug, usual.merging(more) { $1 })
  }
}
