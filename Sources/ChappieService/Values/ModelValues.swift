// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieModel {
  /// The model on the bus.
  func dictionary(_ aliases: [String]) -> VariantDictionary {
    var dictionary: VariantDictionary = [
      "slug": slug, "display_name": displayName, "supported_in_api": supportedInAPI,
      "priority": Int32(clamping: priority), "input_modalities": inputModalities,
      "supported_reasoning_levels": supportedReasoningLevels, "supports_search_tool": supportsSearchTool,
      "supports_parallel_tool_calls": supportsParallelToolCalls,
    ]
    if !aliases.isEmpty { dictionary.set("aliases", aliases) }
    dictionary.set("description", description)
    dictionary.set("context_window", contextWindow.map { UInt32(clamping: $0) })
    return dictionary
  }
}

/// The model of a client and its source, for the properties of the client.
@GLibActor
struct ShownModel {
  let slug: String
  let source: ModelSource

  init(_ client: ChappieClient) {
    slug = client.model
    source = client.modelSource
  }
}

extension ChappieModelFilter {
  /// Decodes the filter of `ListModels`.
  ///
  /// - Throws: `VariantError`.
  init(_ dictionary: VariantDictionary) throws(VariantError) {
    self.init(
      supportedInAPI: try dictionary.value("supported_in_api"),
      inputModality: try dictionary.value("input_modality"),
      supportsSearchTool: try dictionary.value("supports_search_tool"),
      supportsParallelToolCalls: try dictionary.value("supports_parallel_tool_calls"),
      reasoningLevel: try dictionary.value("reasoning_level"))
  }
}
