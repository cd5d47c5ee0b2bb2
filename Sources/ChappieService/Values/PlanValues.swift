// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge

extension ChappieUsageLimitSnapshot {
  /// The usage limits on the bus.
  var dictionary: VariantDictionary {
    [
      "plan": plan?.rawValue, "primary": primary?.dictionary, "secondary": secondary?.dictionary,
      "credits": credits?.dictionary,
    ]
  }
}

extension ChappieUsageWindow {
  fileprivate var dictionary: VariantDictionary {
    [
      "used_percent": usedPercent, "window_minutes": windowMinutes.map { UInt32(clamping: $0) },
      "resets_at": resetsAtSeconds,
    ]
  }
}

extension ChappieUsageCredits {
  fileprivate var dictionary: VariantDictionary {
    ["has_credits": hasCredits, "unlimited": unlimited, "balance": balance]
  }
}

extension ChappieModel {
  /// The model on the bus.
  func dictionary(_ aliases: [String]) -> VariantDictionary {
    [
      "slug": slug, "display_name": displayName, "supported_in_api": supportedInAPI,
      "priority": Int32(clamping: priority), "input_modalities": inputModalities,
      "supported_reasoning_levels": supportedReasoningLevels, "supports_search_tool": supportsSearchTool,
      "web_search": searchesWeb,
      "supports_parallel_tool_calls": supportsParallelToolCalls, "aliases": aliases.isEmpty ? nil : aliases,
      "description": description, "context_window": contextWindow.map { UInt32(clamping: $0) },
    ]
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

extension ChappieResponse {
  /// The details of `Completed`.
  var details: VariantDictionary {
    [
      "model": model, "response_id": responseID, "input_tokens": UInt64(clamping: usage.inputTokens),
      "cached_input_tokens": UInt64(clamping: usage.cachedInputTokens),
      "output_tokens": UInt64(clamping: usage.outputTokens),
      "reasoning_tokens": UInt64(clamping: usage.reasoningTokens), "refusal": isRefusal ? true : nil,
      "searches": searches.map { UInt32(clamping: $0) },
      "citations": citations.isEmpty ? nil : citations.map(\.dictionary),
      "files_as": filesForm?.rawValue,
    ]
  }
}

extension ChappieCitation {
  /// The source on the bus.
  var dictionary: VariantDictionary {
    [
      "url": url.address, "title": title, "start": range.map { UInt64(clamping: $0.lowerBound) },
      "end": range.map { UInt64(clamping: $0.upperBound) },
    ]
  }
}

extension ChappieWebSearch {
  /// Decodes the choice of a turn or of a client. Nil if `options` make none.
  ///
  /// - Throws: `VariantError`, `BusError` with `InvalidArgument`, ``ChappieClientError``.
  init?(_ options: VariantDictionary) throws {
    let place: VariantDictionary = try options.value("search_location") ?? [:]
    let domains: [String] = try options.value("search_domains") ?? []
    let location = Location(
      country: try place.value("country"), region: try place.value("region"), city: try place.value("city"),
      timezone: try place.value("timezone"))
    guard let word: String = try options.value("web_search") else {
      guard domains.isEmpty, location == Location() else {
        throw BusError(.invalidArgument, "'search_domains' and 'search_location' need 'web_search'.")
      }
      return nil
    }
    guard let mode = Mode(rawValue: word) else {
      throw BusError(.invalidArgument, "'web_search' must be off, cached or live.")
    }
    self.init(mode, domains: domains, location: location)
    // A wrong one is refused at once, and not when the question comes. Without a search nothing of it is kept.
    if try declaration() == nil { self = .off }
  }
}

extension ChappieWebSearchStep {
  /// What `SearchProgressed` tells.
  var progress: (status: String, detail: String) {
    switch self {
    case .searching(let words): ("searching", words.joined(separator: "; "))
    case .reading(let host): ("reading", host)
    case .done: ("done", "")
    }
  }
}

extension ChappieClientError {
  /// The details of the signal `Failed` that come from the error.
  var details: VariantDictionary {
    switch self {
    case .httpError(let status, _): ["status": UInt32(clamping: status)]
    case .signInServer(let error): ["status": error.status.map { UInt32(clamping: $0) }]
    case .unsupportedCapability(let parameter): ["param": parameter]
    case .usageLimitReached(let limit):
      [
        "plan": limit.plan?.rawValue, "resets_at": limit.resetsAtSeconds, "primary": limit.primary?.dictionary,
        "secondary": limit.secondary?.dictionary,
      ]
    case .missingToolHandler(let tool), .toolApprovalDenied(let tool, _): ["tool": tool]
    case .toolLoopLimitExceeded(let limit): ["limit": UInt32(clamping: limit)]
    default: [:]
    }
  }
}
