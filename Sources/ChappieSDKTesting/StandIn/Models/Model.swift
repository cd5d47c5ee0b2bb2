import ChappieSDK

/// A model of the catalogue.
struct Model: Sendable {
  let slug: String
  /// The entry as it is handed out.
  let json: ChappieJSONValue
  /// The oldest client that is shown the model; nil shows it to all.
  let minimumClient: ClientVersion?

  /// A model that is like most; `differences` replace members of the entry, or come beside them.
  ///
  /// - Throws: a refusal when the entry has no slug.
  init(_ differences: ChappieJSONValue) throws(Refusal) {
    guard let slug = differences["slug"]?.stringValue, !slug.isEmpty, let changes = differences.objectValue else {
      throw Refusal(detail: "a model is an object with a 'slug'")
    }
    self.init(slug: slug, changes)
  }

  init(slug: String, _ changes: [String: ChappieJSONValue]) {
    self.slug = slug
    json = .object(Self.usual(slug).merging(changes) { $1 })
    minimumClient = json["minimal_client_version"]?.stringValue.flatMap(ClientVersion.init)
  }

  // MARK: What requests are held against

  var contextWindow: Int { json["context_window"]?.integerValue.map { Int($0) } ?? .max }

  var takesImages: Bool { json["input_modalities"]?.arrayValue?.contains("image") ?? true }

  /// Whether clients are asked for the lite form of requests, as in section 3.2 of the protocol.
  var wantsLite: Bool { json["use_responses_lite"]?.boolValue == true }

  /// What requests may say of the effort. `ultra` is a word of clients, who rewrite it; `none` goes everywhere.
  var efforts: [String] {
    let listed = json["supported_reasoning_levels"]?.arrayValue?.compactMap { $0["effort"]?.stringValue } ?? []
    return ["none"] + listed.filter { $0 != "ultra" }
  }

  var serviceTiers: [String] {
    json["service_tiers"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
  }

  // MARK: Entries

  /// The members of section 5.1 of the protocol.
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
