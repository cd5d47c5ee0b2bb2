import GLibBridge

/// The models of the backend, in the order in which they are handed out.
@GLibActor
final class ModelCatalogue {
  private var models: [Model]

  /// What tells one catalogue from another.
  private(set) var etag = ""

  /// The usual catalogue.
  ///
  /// - Parameter contextWindow: the context window of all models; nil leaves each its own.
  init(contextWindow: Int?) {
    models = Self.usual.map { model in
      guard let window = contextWindow.map({ JSONValue($0) }) else { return model }
      let small = [
        JSONValue.Member(key: "context_window", value: window), .init(key: "max_context_window", value: window),
      ]
      return Model(slug: model.slug, (model.json.members ?? []) + small)
    }
    etag = Self.etag(of: json)
  }

  /// Replaces the catalogue with a list of models, bare or as `{"models": […]}`.
  func replace(_ json: JSONValue) throws(Refusal) {
    guard let list = json["models"]?.elements ?? json.elements else {
      throw Refusal(detail: "a catalogue is a list of models")
    }
    var models: [Model] = []
    for entry in list { models.append(try Model(entry)) }
    self.models = models
    etag = Self.etag(of: self.json)
  }

  /// What is handed out.
  var json: JSONValue { ["models": .array(models.map(\.json))] }

  subscript(slug: String) -> Model? {
    models.first { $0.slug == slug }
  }

  private static func etag(of json: JSONValue) -> String {
    let digest = SHA256.digest(of: json.bytes).prefix(8)
    return "\"" + digest.map { String($0, radix: 16) }.joined() + "\""
  }

  private static let usual: [Model] = [
    Model(slug: "gpt-5.5", [.init(key: "display_name", value: "GPT-5.5"), .init(key: "priority", value: 0)]),
    Model(slug: "gpt-5.4", [.init(key: "display_name", value: "GPT-5.4"), .init(key: "priority", value: 1)]),
    Model(
      slug: "gpt-5.4-mini",
      [
        .init(key: "display_name", value: "GPT-5.4 mini"), .init(key: "priority", value: 2),
        .init(key: "supported_reasoning_levels", value: Model.levels(["low", "medium", "high"])),
        .init(key: "service_tiers", value: []),
      ]),
    Model(
      slug: "gpt-5.3-codex-spark",
      [
        .init(key: "display_name", value: "GPT-5.3 Codex Spark"), .init(key: "priority", value: 3),
        .init(key: "supported_in_api", value: false), .init(key: "input_modalities", value: ["text"]),
        .init(key: "supports_parallel_tool_calls", value: false), .init(key: "supports_search_tool", value: false),
        .init(key: "context_window", value: 128_000), .init(key: "max_context_window", value: 128_000),
        .init(key: "service_tiers", value: []),
      ]),
    Model(
      slug: "gpt-5.3-codex",
      [
        .init(key: "display_name", value: "GPT-5.3 Codex"), .init(key: "priority", value: 4),
        .init(key: "visibility", value: "hide"),
      ]),
  ]
}
