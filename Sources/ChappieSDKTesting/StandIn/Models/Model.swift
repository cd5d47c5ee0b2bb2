// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

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
    json = .object(Self.usual(slug).merging(changes) { $1 })
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
      "supported_reasoning_levels": levels(["low", "medium", "high", "xhigh", "max"]), "shell_type": "unified_exec",
      "visibility": "list", "minimal_client_version": "0.98.0", "supported_in_api": true, "priority": 50,
      "availability_nux": .null, "upgrade": .null, "base_instructions": "Repeat what you are told.",
      "supports_reasoning_summaries": true, "default_reasoning_summary": "none", "support_verbosity": true,
      "default_verbosity": "low", "apply_patch_tool_type": "freeform",
      "truncation_policy": ["mode": "tokens", "limit": 10000], "supports_parallel_tool_calls": true,
      "context_window": 272_000, "max_context_window": 872_000, "effective_context_window_percent": 95,
      "input_modalities": ["text", "image"], "supports_search_tool": true, "use_responses_lite": true,
      "service_tiers": [
        ["id": "priority", "name": "Fast", "description": "Answers sooner and uses more of the plan."]
      ],
      "experimental_supported_tools": [],
    ]
  }

  static func levels(_ names: [String]) -> ChappieJSONValue {
    .array(names.map { ["effort": .string($0), "description": .string("Thinks with \($0) effort.")] })
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
