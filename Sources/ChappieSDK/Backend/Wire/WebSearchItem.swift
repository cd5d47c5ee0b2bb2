// SPDX-License-Identifier: Apache-2.0
import GLibBridge

extension ChappieJSONValue {
  /// Whether this is a search of the web that the backend has made.
  var isWebSearch: Bool { self["type"]?.stringValue == "web_search_call" }

  /// What a search has done; nil if it has failed, or if this is none.
  var webSearchStep: ChappieWebSearchStep? {
    guard isWebSearch, self["status"]?.stringValue != "failed" else { return nil }
    let action = self["action"]
    switch action?["type"]?.stringValue {
    case "open_page", "find_in_page":
      return (action?["url"]?.stringValue).flatMap { ParsedURL($0) }?.host.map { .reading(Redaction.message($0)) }
    default:
      let queries = (action?["queries"]?.arrayValue ?? []).compactMap(\.stringValue)
      let query = action?["query"]?.stringValue.map { [$0] } ?? []
      return .searching((queries.isEmpty ? query : queries).prefix(16).map(Redaction.message))
    }
  }

  /// Whether this is a search that has not failed, and no look at a page.
  var isSearch: Bool {
    if case .searching? = webSearchStep { true } else { false }
  }
}

/// Tells the caller of a turn what its searches do, and which sources its answer names.
struct WebSearchProgress {
  private var isSearching = false
  private var sources: Set<ChappieCitation> = []
  /// Whether the model has read something of the web.
  private(set) var hasRead = false

  /// What to tell the caller of an event of the answer; nil for nothing.
  ///
  /// - Parameter addsText: whether the event brings text of the answer.
  mutating func step(_ event: ResponseEvent, addsText: Bool) -> ChappieWebSearchStep? {
    switch event {
    case .searching where !isSearching:
      isSearching = true
      return .searching([])
    case .itemDone(let item) where item.isWebSearch:
      hasRead = true
      guard let step = item.webSearchStep else { return nil }
      isSearching = true
      return step
    default:
      guard addsText, isSearching else { return nil }
      isSearching = false
      return .done
    }
  }

  /// Whether to tell the caller of a source. After a reconnect the backend repeats those that came before.
  mutating func tells(_ source: ChappieCitation) -> Bool {
    sources.count < ChappieJSONValue.citationLimit && sources.insert(source).inserted
  }
}
