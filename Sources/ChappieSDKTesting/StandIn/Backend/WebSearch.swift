// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import HTTPTestServer

/// A search of the web: the calls and the message of its answer.
struct WebSearch {
  /// The member `search` of a rule.
  static let form = JSONForm.members([
    "action": .bool, "query": .bool, "queries": .bool, "markers": .bool, "failed": .bool, "spans": .one(of: ["wrong"]),
    "citations": .integer(0...100),
  ])

  private let words: String
  /// The address of a source on a host, without its number.
  private let path: String
  /// The domains of the sources; nil for all.
  private let domains: [String]?
  private let change: ChappieJSONValue

  /// The search that a user's text asks for: its first line is `search for WORDS`. Nil for other texts.
  ///
  /// - Parameters:
  ///   - tool: the tool in the list of the request.
  ///   - change: the member `search` of a rule.
  init?(askedFor text: String, with tool: ChappieJSONValue, _ change: ChappieJSONValue) {
    let start = "search for "
    guard text.hasPrefix(start) else { return nil }
    let words = text.dropFirst(start.count).prefix { !$0.isNewline }.prefix(200).split(whereSeparator: \.isWhitespace)
    guard !words.isEmpty else { return nil }
    self.words = words.joined(separator: " ")
    domains = tool["filters"]?["allowed_domains"]?.arrayValue?.compactMap(\.stringValue)
    path = FormCoding.escape(words.joined(separator: "-"))
    self.change = change
  }

  private var fails: Bool { change["failed"] == true }

  /// The numbers of the sources in the domains that the request allows.
  private var sources: [Int] {
    (0..<(change["citations"]?.wholeNumber ?? 2)).filter { isAllowed(source($0).host) }
  }

  private func isAllowed(_ host: String) -> Bool {
    domains?.contains { host == $0 || host.hasSuffix(".\($0)") } ?? true
  }

  /// The hosts of the sources. Where the request allows neither of them, the first domain that it allows has all sources.
  private var hosts: [String] {
    let known = ["example.org", "example.net"]
    return known.contains(where: isAllowed) ? known : (domains ?? []).prefix(1) + []
  }

  // MARK: Items

  /// The search and the page that it opens, or only a search that fails.
  var calls: [OutputItem] {
    var search: [String: ChappieJSONValue] = [
      "type": "search", "query": .string(words), "queries": [.string(words)],
    ]
    for key in ["query", "queries"] where change[key] == false { search[key] = nil }
    guard !fails else { return [call(search, status: "failed")] }
    let page = domains == nil ? 0 : sources.first
    return [call(search)] + (page.map { [call(["type": "open_page", "url": .string(source($0).url)])] } ?? [])
  }

  private func call(_ action: [String: ChappieJSONValue], status: ChappieJSONValue = "completed") -> OutputItem {
    .search(action: change["action"] == false ? nil : .object(action), status: status)
  }

  /// The message, with a citation of each source. The characters before the first have different sizes in UTF-8, UTF-16
  /// and code points.
  var message: OutputItem {
    guard !fails else { return .message("The search for “\(words)” failed. This is from memory.") }
    var text = "🔎 From Zürich, about “\(words)”."
    var citations: [ChappieJSONValue] = []
    for index in sources {
      let (host, url) = source(index)
      text += " Source \(index + 1) says so "
      let start = text.unicodeScalars.count
      text += change["markers"] == true ? "\u{E200}cite\u{E202}turn0search\(index)\u{E201}" : "([\(host)](\(url)))"
      let end = text.unicodeScalars.count
      text += "."
      // Wrong spans end beyond the text, or begin before the link and end inside it.
      let shift = change["spans"] == nil ? 0 : index.isMultiple(of: 2) ? 1_000_000 : -3
      citations.append([
        "type": "url_citation", "start_index": ChappieJSONValue(start + shift),
        "end_index": ChappieJSONValue(end + shift), "title": .string("\(words), source \(index + 1)"),
        "url": .string(url),
      ])
    }
    return .message(text, citations)
  }

  private func source(_ index: Int) -> (host: String, url: String) {
    let hosts = hosts
    let host = hosts.isEmpty ? "example.org" : hosts[index % hosts.count]
    return (host, "https://\(host)/\(path)/\(index + 1)")
  }
}

// MARK: - The tool

extension WebSearch {
  private static let domainList = JSONForm("a list of at most 100 domains without a scheme") { value in
    value.arrayValue.map { list in
      list.count <= 100 && list.allSatisfy { $0.stringValue?.wholeMatch(of: /[\w-]+(\.[\w-]+)+/) != nil }
    } == true
  }

  private static let country = JSONForm("a country's code of two letters") {
    $0.stringValue?.wholeMatch(of: /[A-Z]{2}/) != nil
  }

  /// The tool in the list of a request.
  private static let tool = JSONForm.members([
    "type": .string, "external_web_access": .bool, "index_gated_web_access": .bool,
    "search_content_types": .list(of: .one(of: ["text", "image"])),
    "search_context_size": .one(of: ["low", "medium", "high"]),
    "return_token_budget": .one(of: ["default", "unlimited"]),
    "filters": .members(
      ["allowed_domains": domainList, "blocked_domains": domainList],
      exclusive: [("allowed_domains", "blocked_domains")]
    ).orNull,
    "user_location": .members(
      [
        "type": .one(of: ["approximate"]), "country": country.orNull, "region": .string.orNull,
        "city": .string.orNull, "timezone": .string.orNull,
      ], required: "type"
    ).orNull,
  ])

  /// The tool of a request; nil if it declares none. One with invalid members is refused.
  static func tool(in tools: ChappieJSONValue?) throws(HTTPServerResponse) -> ChappieJSONValue? {
    let list = tools?.arrayValue ?? []
    guard let index = list.firstIndex(where: { $0["type"] == "web_search" }) else { return nil }
    let name = "tools[\(index)]"
    if let fault = tool.fault(name, list[index]) {
      throw .error(400, "invalid_value", "Invalid value: \(fault)", param: name)
    }
    return list[index]
  }
}
