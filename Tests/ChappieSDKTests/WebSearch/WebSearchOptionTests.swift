// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

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
