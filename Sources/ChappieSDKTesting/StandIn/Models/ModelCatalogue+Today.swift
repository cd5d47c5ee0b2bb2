// SPDX-License-Identifier: Apache-2.0
import ChappieSDK

extension ModelCatalogue {
  /// The models in version 0.163.0 of the Codex CLI, in its order, and newer models.
  static let today: [Model] = [
    // The minimum version of these two is a guess; 0.163.0 does not have them.
    model("gpt-6.2-sol", "GPT-6.2-Sol", priority: 0, efforts: .all, since: "0.164.0", delegating),
    model("gpt-6.1-terra", "GPT-6.1-Terra", priority: 6, efforts: .all, since: "0.164.0"),
    model("gpt-6-astra", "GPT-6-Astra", priority: 2, efforts: .all, since: "0.153.0", delegating),
    model("gpt-6.1-sol", "GPT-6.1-Sol", priority: 1, efforts: .all, since: "0.160.0", delegating),
    model("gpt-6-sol", "GPT-6-Sol", priority: 3, efforts: .all, since: "0.155.0"),
    model("gpt-6-luna", "GPT-6-Luna", priority: 4, efforts: .upToMax, since: "0.155.0"),
    model("gpt-5.6-sol", "GPT-5.6-Sol", priority: 5, efforts: .all, since: "0.144.0"),
    model("gpt-5.6-terra", "GPT-5.6-Terra", priority: 8, efforts: .all, since: "0.144.0"),
    model("gpt-5.6-luna", "GPT-5.6-Luna", priority: 9, efforts: .upToMax, since: "0.144.0"),
    model(
      "gpt-daybreak-blue-latest", "Daybreak Blue", priority: 11, efforts: .all, since: "0.144.0",
      ["visibility": "hide", "service_tiers": [], "model_specialty": "cyber"]),
    model(
      "gpt-daybreak-red-latest", "Daybreak Red", priority: 12, efforts: .all, since: "0.144.0",
      [
        "visibility": "hide", "service_tiers": [], "model_specialty": "cyber", "default_verbosity": "high",
        "context_window": 372_000, "max_context_window": 372_000,
      ]),
    model(
      "gpt-5.5", "GPT-5.5", priority: 13, efforts: .upToXHigh, since: "0.98.0",
      ["use_responses_lite": false, "max_context_window": 272_000, "tool_mode": .null, "multi_agent_version": .null]),
    model(
      "codex-auto-review", "Codex Auto Review", priority: 43, efforts: .upToMax, since: "0.98.0",
      ["visibility": "hide", "multi_agent_version": "v1"]),
  ]

  /// The models of ``today`` that the backend has retired.
  static let retiredToday: Set = ["gpt-5.5"]

  private enum Efforts: Int {
    case upToXHigh = 4
    case upToMax
    /// Includes `ultra`. Clients send another effort in its place.
    case all

    var levels: ChappieJSONValue {
      Model.levels(Array(["low", "medium", "high", "xhigh", "max", "ultra"].prefix(rawValue)))
    }
  }

  /// The members of a model that names the effort to send for `ultra`. For other models, clients send the highest
  /// effort below `ultra`.
  private static let delegating: [String: ChappieJSONValue] = [
    "multi_agent_reasoning_effort": "xhigh", "default_reasoning_level": "low",
  ]

  private static func model(
    _ slug: String, _ name: String, priority: Int, efforts: Efforts, since version: String,
    _ more: [String: ChappieJSONValue] = [:]
  ) -> Model {
    let usual: [String: ChappieJSONValue] = [
      "display_name": .string(name), "priority": ChappieJSONValue(priority),
      "supported_reasoning_levels": efforts.levels,
      "minimal_client_version": .string(version), "tool_mode": "code_mode_only", "multi_agent_version": "v2",
    ]
    return Model(slug: slug, usual.merging(more) { $1 })
  }
}
