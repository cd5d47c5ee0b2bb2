// SPDX-License-Identifier: Apache-2.0

/// Whether the model may search the web for an answer, and where.
///
/// A search carries words of the question to a search engine, so it is off unless somebody asks for it.
public struct ChappieWebSearch: Sendable, Hashable, Codable {
  /// What a search may read.
  public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing: the model has no search.
    case off
    /// The backend's copies of pages.
    case cached
    /// The pages as they are now.
    case live
  }

  /// The place for which results are looked up. The backend gets what is set, and nothing of this machine.
  public struct Location: Sendable, Hashable, Codable {
    /// A country in two letters, as in ISO 3166, such as `DE`.
    public var country: String?
    /// A region in any words, such as `Bavaria`.
    public var region: String?
    /// A city in any words.
    public var city: String?
    /// A time zone of IANA, such as `Europe/Berlin`.
    public var timezone: String?

    /// Creates a location. What is left out is unknown to the backend.
    public init(country: String? = nil, region: String? = nil, city: String? = nil, timezone: String? = nil) {
      self.country = country
      self.region = region
      self.city = city
      self.timezone = timezone
    }
  }

  /// The most domains.
  public static let domainLimit = 100

  /// What a search may read.
  public var mode: Mode
  /// The only domains to search, with their subdomains and without a scheme, such as `debian.org`. Empty for all. At
  /// most ``domainLimit``.
  public var domains: [String]
  /// The place for which results are looked up.
  public var location: Location

  /// Creates a choice.
  public init(_ mode: Mode, domains: [String] = [], location: Location = Location()) {
    self.mode = mode
    self.domains = domains
    self.location = location
  }

  /// No search.
  public static let off = ChappieWebSearch(.off)
  /// A search of the backend's copies of pages.
  public static let cached = ChappieWebSearch(.cached)
  /// A search of the pages as they are now.
  public static let live = ChappieWebSearch(.live)
}

extension ChappieWebSearch {
  /// The backend's name of the tool.
  static let tool = "web_search"

  /// The tool in the backend's format; nil without a search.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)`` for a domain or a location that the backend would refuse.
  package func declaration() throws(ChappieClientError) -> ChappieJSONValue? {
    guard mode != .off else { return nil }
    guard domains.count <= Self.domainLimit else {
      throw .invalidArgument("A search takes at most \(Self.domainLimit) domains: name fewer.")
    }
    if let wrong = domains.first(where: { !Self.isDomain($0) }) {
      throw .invalidArgument("'\(Redaction.message(wrong))' is no domain to search, such as debian.org.")
    }
    var tool: [String: ChappieJSONValue] = [
      "type": .string(Self.tool), "external_web_access": .bool(mode == .live),
      "user_location": .object(try location.declaration()),
    ]
    if !domains.isEmpty { tool["filters"] = ["allowed_domains": .array(domains.map { .string($0) })] }
    return .object(tool)
  }

  private static func isDomain(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count)
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "-") }
      }
  }
}

extension ChappieWebSearch.Location {
  /// The longest text, in bytes.
  private static let limit = 128

  /// Without the type, the backend assumes the United States.
  fileprivate func declaration() throws(ChappieClientError) -> [String: ChappieJSONValue] {
    var members: [String: ChappieJSONValue] = ["type": "approximate"]
    for (name, text) in [("country", country), ("region", region), ("city", city), ("timezone", timezone)] {
      guard let text else { continue }
      let isCountry = text.utf8.count == 2 && text.allSatisfy { $0.isASCII && $0.isLetter }
      guard name != "country" || isCountry else {
        throw .invalidArgument("The country of a search has two letters, such as DE.")
      }
      guard (1...Self.limit).contains(text.utf8.count), text == Redaction.message(text) else {
        throw .invalidArgument("The \(name) of a search is a line of 1 to \(Self.limit) bytes.")
      }
      members[name] = .string(name == "country" ? text.uppercased() : text)
    }
    return members
  }
}

/// What a search of the web does, while an answer is made.
public enum ChappieWebSearchStep: Sendable, Hashable, Codable {
  /// It looks for these words. Empty until the backend tells them, or if it does not.
  case searching([String])
  /// It reads a page of this host.
  case reading(String)
  /// It has ended, and the answer goes on.
  case done
}

/// A source that an answer names.
public struct ChappieCitation: Sendable, Hashable, Codable {
  /// The address of the page, with http or https.
  public let url: ChappieAddress
  /// The title of the page in one line. It can be empty.
  public let title: String
  /// The place in the answer's text, in bytes of UTF-8: the visible link, or an empty range behind what the source is
  /// for. Nil if the backend named no place that fits the text: list the source below the answer.
  public let range: Range<Int>?

  /// Creates a citation, such as for a preview.
  public init(url: ChappieAddress, title: String = "", range: Range<Int>? = nil) {
    self.url = url
    self.title = title
    self.range = range
  }

  var withoutPlace: ChappieCitation { ChappieCitation(url: url, title: title) }

  func moved(by bytes: Int) -> ChappieCitation {
    ChappieCitation(url: url, title: title, range: range.map { $0.lowerBound + bytes..<$0.upperBound + bytes })
  }
}
