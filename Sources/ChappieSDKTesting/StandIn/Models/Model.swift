/// A model of the catalogue.
struct Model: Sendable {
  let slug: String
  /// The entry as it is handed out.
  let json: JSONValue
  /// The oldest client that is shown the model; nil shows it to all.
  let minimumClient: ClientVersion?

  /// A model that is like most; `differences` replace members of the entry, or come behind them.
  ///
  /// - Throws: a refusal when the entry has no slug.
  init(_ differences: JSONValue) throws(Refusal) {
    guard let slug = differences["slug"]?.string, !slug.isEmpty, let changes = differences.members else {
      throw Refusal(detail: "a model is an object with a 'slug'")
    }
    self.init(slug: slug, changes)
  }

  init(slug: String, _ changes: [JSONValue.Member]) {
    let usual = Self.usual(slug).members ?? []
    let kept = usual.map { member in changes.last { $0.key == member.key } ?? member }
    var added: [JSONValue.Member] = []
    for change in changes where !usual.contains(where: { $0.key == change.key }) {
      added.removeAll { $0.key == change.key }
      added.append(change)
    }
    self.slug = slug
    json = .object(kept + added)
    minimumClient = json["minimal_client_version"]?.string.flatMap(ClientVersion.init)
  }

  // MARK: What requests are held against

  var contextWindow: Int { json["context_window"]?.integer ?? .max }

  var takesImages: Bool { json["input_modalities"]?.elements?.contains("image") ?? true }

  /// Whether clients are asked for the lite form of requests, as in section 3.2 of the protocol.
  var wantsLite: Bool { json["use_responses_lite"]?.bool == true }

  /// What requests may say of the effort. `ultra` is a word of clients, who rewrite it; `none` goes everywhere.
  var efforts: [String] {
    let listed = json["supported_reasoning_levels"]?.elements?.compactMap { $0["effort"]?.string } ?? []
    return ["none"] + listed.filter { $0 != "ultra" }
  }

  var serviceTiers: [String] {
    json["service_tiers"]?.elements?.compactMap { $0["id"]?.string } ?? []
  }

  // MARK: Entries

  /// The members of section 5.1 of the protocol.
  private static func usual(_ slug: String) -> JSONValue {
    [
      "slug": .string(slug), "display_name": .string(slug), "description": "A model that repeats what it is told.",
      "default_reasoning_level": "medium",
      "supported_reasoning_levels": levels(["low", "medium", "high", "xhigh", "max"]), "shell_type": "unified_exec",
      "visibility": "list", "minimal_client_version": "0.98.0", "supported_in_api": true, "priority": 50,
      "availability_nux": nil, "upgrade": nil, "base_instructions": "Repeat what you are told.",
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

  static func levels(_ names: [String]) -> JSONValue {
    .array(names.map { ["effort": .string($0), "description": .string("Thinks with \($0) effort.")] })
  }
}
