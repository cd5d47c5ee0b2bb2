// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

struct CitationTests {
  private static let mark = "\u{E200}cite\u{E202}turn0search1\u{E201}"

  // MARK: Marks

  /// The text of pieces that end at every place of `text`.
  private func shown(_ text: String, cutAt index: Int) -> String {
    let scalars = Array(text.unicodeScalars)
    var marks = CitationMarks()
    let pieces = [scalars[..<index], scalars[index...]].map { piece in
      var text = String.UnicodeScalarView()
      text.append(contentsOf: piece)
      return String(text)
    }
    return pieces.map { marks.shown($0) }.joined()
  }

  @Test func marksAreNotShown() {
    let text = "Zürich\(Self.mark) and 🚌\(Self.mark)\(Self.mark)."
    for index in 0...text.unicodeScalars.count {
      #expect(shown(text, cutAt: index) == "Zürich and 🚌.")
    }
    #expect(CitationMarks.removed(from: text) == "Zürich and 🚌.")
  }

  @Test(arguments: [
    "an icon \u{E200} of a font", "\u{E200}cite without an end", "\u{E201}", "\u{E202}\u{E201}", "an \u{EE00} other",
    "\u{E200}cite\u{E202}" + String(repeating: "x", count: 600) + "\u{E201}",
    "\u{E200}" + String(repeating: "a", count: 17) + "\u{E202}\u{E201}", "\u{E200}CITE\u{E202}\u{E201}",
    "\u{E200}cite\u{E202}turn0", "\u{E200}cite", "\u{E200}a\u{E202}b\u{E200}c",
  ])
  func whatIsNoMarkIsTextWithoutItsSigns(_ text: String) {
    let words = String(String.UnicodeScalarView(text.unicodeScalars.filter { !(0xE200...0xE202).contains($0.value) }))
    #expect(CitationMarks.removed(from: text) == words)
    var marks = CitationMarks()
    let whole = text.unicodeScalars.map { marks.shown(String($0)) }.joined() + marks.shown("", isLast: true)
    #expect(whole == words)
  }

  @Test func aMarkIsHeldBackWithABound() {
    var marks = CitationMarks()
    #expect(marks.shown("a\u{E200}cite\u{E202}") == "a")
    var later = ""
    for _ in 0..<600 { later += marks.shown("x") }
    #expect(later.hasPrefix("citexxx"))
  }

  // MARK: Sources

  private func item(_ text: String, _ annotations: [ChappieJSONValue]) -> ChappieJSONValue {
    [
      "type": "message",
      "content": [["type": "output_text", "text": .string(text), "annotations": .array(annotations)]],
    ]
  }

  private func citations(_ text: String, _ annotation: ChappieJSONValue) -> [ChappieCitation] {
    item(text, [annotation]).citations
  }

  private func annotation(_ url: String, _ start: Int, _ end: Int, title: String = "Title") -> ChappieJSONValue {
    [
      "type": "url_citation", "url": .string(url), "title": .string(title), "start_index": .integer(Int64(start)),
      "end_index": .integer(Int64(end)),
    ]
  }

  /// The part of a text that a citation names.
  private func part(_ citation: ChappieCitation?, of text: String) -> String? {
    citation?.range.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
  }

  @Test func placesAreBytesOfTheText() throws {
    let text = "Zürich 🚌 ([example.org](https://example.org/a)) and more."
    let start = try #require(text.unicodeScalars.firstIndex(of: "("))
    let index = text.unicodeScalars.distance(from: text.unicodeScalars.startIndex, to: start)
    let found = citations(text, annotation("https://example.org/a", index, index + 38))
    #expect(part(found.first, of: text) == "([example.org](https://example.org/a))")
    #expect(found.first?.title == "Title")
    let titled = citations("x", annotation("https://example.org/", 0, 1, title: "a\u{1B}[31m\nb"))
    #expect(titled.first?.title.contains { $0.isNewline || $0 == "\u{1B}" } == false)
  }

  @Test func aMarkBecomesAnEmptyPlace() {
    let address = "https://example.org/a"
    let whole = annotation(address, 1, 1 + Self.mark.unicodeScalars.count)
    #expect(citations("ü\(Self.mark) and more.", whole).first?.range == 2..<2)
    // A place that is shifted.
    #expect(citations("so \(Self.mark).", annotation(address, 1, 10)).first?.range == 3..<3)
    let flood = String(repeating: Self.mark, count: 5000) + " \(address)"
    #expect(citations(flood, annotation(address, 0, 5)).map(\.range) == [nil])
  }

  @Test(arguments: [
    ("See https://example.org/a there.", 0, 3), ("See https://example.org/a there.", 5000, 6000),
    ("See https://example.org/a there.", 9, 2), ("See https://example.org/a there.", -1, 4),
    // The whole answer, then the address alone, which is a part of another one as well.
    ("All of this is said by [example.org](https://example.org/a), and https://example.org/abc too.", 0, 60),
  ])
  func aWrongPlaceIsTheAddressOrNone(_ text: String, _ start: Int, _ end: Int) {
    for address in ["https://example.org/a", "https://example.org/abc"] where text.contains(address) {
      #expect(part(citations(text, annotation(address, start, end)).first, of: text) == address)
    }
    for address in ["https://example.net/b", "https://example.org/ab"] {
      #expect(
        citations(text, annotation(address, start, end)) == [
          ChappieCitation(url: ChappieAddress(address: address), title: "Title")
        ])
    }
  }

  @Test(arguments: [
    "javascript:alert(1)", "file:///etc/passwd", "no address", "https://user:word@example.org/", "data:,x",
    "https://a.b/x> [y](javascript:alert(1))", "https://a.b/\n", "https://a.b/ x", "http:///x", "https://a%2eb/",
    "https://a.b/\u{202E}", "https://a.b/" + String(repeating: "x", count: 2048),
  ])
  func otherAddressesAreNoSources(_ address: String) {
    #expect(citations("text", annotation(address, 0, 4)).isEmpty)
  }

  @Test func piecesThatLackALinkHaveNoPlaces() {
    let whole = item(
      "Fine ([example.org](https://example.org/a)) today.", [annotation("https://example.org/a", 5, 43)])
    let end = told([.textDelta("Fine "), .textDelta(" today."), .itemDone(whole)])
    #expect(end.text == "Fine  today.")
    #expect(end.citations.map(\.range) == [nil])
  }

  // MARK: Before the message is complete

  /// The sources of events, with the text that came with them, and the citations at the end.
  private func told(
    _ events: [ResponseEvent]
  ) -> (text: String, sources: [ChappieCitation], citations: [ChappieCitation]) {
    let text = AnswerText()
    var assembler = ResponseAssembler(text)
    var sources: [ChappieCitation] = []
    for event in events {
      text.append(assembler.take(event))
      assembler.source(of: event).map { sources.append($0) }
    }
    return (text.whole, sources, assembler.citations)
  }

  @Test func aSourceHasAPlaceInTheTextSoFar() {
    let link = "([example.org](https://example.org/a))"
    let (text, sources, _) = told([
      .textDelta("Zürich"), .textDelta(Self.mark), .annotation(annotation("https://example.org/m", 6, 25)),
      .textDelta(" and "), .textDelta(link), .annotation(annotation("https://example.org/a", 30, 30 + link.count)),
    ])
    #expect(sources.map { part($0, of: text) } == ["", link])
    #expect(sources.first?.range == 7..<7)
  }

  @Test func aPlaceThatHasNotComeIsNone() {
    let (_, sources, _) = told([
      .textDelta("See https://example.org/a"), .annotation(annotation("https://example.org/a", 4, 25)),
      .textDelta("bc "), .annotation(annotation("https://example.org/abc", 0, 90)), .textDelta("\u{E200}cite"),
      .annotation(annotation("https://example.org/d", 28, 33)), .annotation("none"),
      .annotation(annotation("file:///etc/passwd", 0, 1)),
    ])
    #expect(sources.map(\.range) == [nil, 4..<27, 28..<28])
  }

  @Test func aFloodOfAnnotationsIsBounded() {
    let flood = (0..<1000).map { annotation("https://example.org/\($0)", 0, 1) }
    #expect(told([.textDelta("x")] + flood.map { ResponseEvent.annotation($0) }).sources.count == 256)
    #expect(item("x", flood).citations.count == 256)
    let long = String(repeating: "x", count: 70_000) + " https://example.org/a "
    #expect(
      told([.textDelta(long), .annotation(annotation("https://example.org/a", 0, 1))]).sources.map(\.range) == [nil])
  }

  @Test(arguments: [#""content_index":1,"#, "", #""content_index":-1,"#])
  func onlyTheFirstPartOfAMessageIsRead(_ index: String) {
    let json = #"{"type":"response.output_text.annotation.added",\#(index)"annotation":{"url":"https://x.org"}}"#
    #expect(ResponseEvent.decode(Array(json.utf8).span) == .other)
  }

  @Test func placesCountOverMessagesOfAnAnswer() {
    let address = "https://example.org/"
    let items = ["ü1: \(address)", "ü2: \(address)"].map {
      ResponseEvent.itemDone(item($0, [annotation(address, 4, 24)]))
    }
    let end = told([.textDelta("ü1: https://exa"), .textDelta("mple.org/")] + items)
    #expect(end.citations.map { part($0, of: end.text) } == [address, address])
    #expect(end.citations.compactMap(\.range?.lowerBound) == [5, 32])
  }
}

struct WebSearchOptionTests {
  @Test func domainsAndPlaceAreSent() throws {
    let search = ChappieWebSearch(
      .live, domains: ["debian.org", "sub-domain.example.org"],
      location: .init(country: "DE", timezone: "Europe/Berlin"))
    #expect(
      try search.declaration() == [
        "type": "web_search", "external_web_access": true,
        "filters": ["allowed_domains": ["debian.org", "sub-domain.example.org"]],
        "user_location": ["type": "approximate", "country": "DE", "timezone": "Europe/Berlin"],
      ])
    // No place of this machine is named.
    #expect(
      try ChappieWebSearch.cached.declaration() == [
        "type": "web_search", "external_web_access": false, "user_location": ["type": "approximate"],
      ])
    #expect(ChappieMessageOptions().webSearch == nil && ChappieConfiguration().webSearch == .off)
    #expect(try ChappieWebSearch(.off, domains: ["no domain"]).declaration() == nil)
  }

  @Test func aWrongDomainOrPlaceIsRefused() {
    for domains in [
      [""], ["https://debian.org"], ["debian.org/"], ["a..b"], ["."], ["-"], ["-a.org"], ["a-.org"], ["ü.example"],
      [String(repeating: "a", count: 64)], Array(repeating: "debian.org", count: 101),
    ] {
      #expect(throws: ChappieClientError.self, "\(domains)") {
        try ChappieWebSearch(.live, domains: domains).declaration()
      }
    }
    for place in [
      ChappieWebSearch.Location(country: "Germany"), .init(country: "é"), .init(country: "1!"), .init(city: ""),
      .init(city: "a\u{1B}b"), .init(region: String(repeating: "x", count: 129)),
    ] {
      #expect(throws: ChappieClientError.self) { try ChappieWebSearch(.live, location: place).declaration() }
    }
  }

  @Test func stepsAreToldInOrder() {
    var progress = WebSearchProgress()
    func item(_ action: ChappieJSONValue, _ status: String = "completed") -> ResponseEvent {
      .itemDone(["type": "web_search_call", "status": .string(status), "action": action])
    }
    let events: [(ResponseEvent, Bool)] = [
      (.textDelta("x"), true), (.searching, false), (.searching, false),
      (item(["type": "search", "queries": ["a", "b"]]), false),
      (item(["type": "search", "query": "c", "queries": []]), false),
      (item(["type": "open_page", "url": "https://example.org/x"]), false), (item(.null), false),
      (item(["type": "search", "query": "d"], "failed"), false), (.textDelta("x"), true), (.textDelta("x"), true),
    ]
    let steps = events.compactMap { progress.step($0, addsText: $1) }
    #expect(
      steps == [
        .searching([]), .searching(["a", "b"]), .searching(["c"]), .reading("example.org"), .searching([]), .done,
      ])
    #expect(progress.hasRead)
    let items = events.compactMap { if case .itemDone(let item) = $0.0 { item } else { nil } }
    #expect(items.count(where: \.isSearch) == 3)
    // The tools of the turn ask after any page, whatever the backend tells of it.
    for status in ["completed", "failed"] {
      var progress = WebSearchProgress()
      #expect(progress.step(item(["type": "open_page"], status), addsText: false) == nil)
      #expect(progress.hasRead)
    }
  }

  @Test func optionsAreReadAsTheyWereWritten() throws {
    for search in [
      nil, ChappieWebSearch.off, .cached, ChappieWebSearch(.live, domains: ["x.org"], location: .init(city: "Ulm")),
    ] {
      let options = ChappieMessageOptions(webSearch: search)
      #expect(try ChappieMessageOptions(jsonValue: options.jsonValue) == options)
    }
  }

  @Test func earlierSearchesAreSentBackWithoutTheirAddresses() {
    let item: ChappieJSONValue = [
      "type": "web_search_call", "id": "ws_1", "status": "completed",
      "action": ["type": "search", "query": "a", "sources": [["type": "url", "url": "https://example.org/"]]],
    ]
    #expect(
      ConversationItem.produced(item).json == [
        "type": "web_search_call", "status": "completed", "action": ["type": "search", "query": "a"],
      ])
  }
}
