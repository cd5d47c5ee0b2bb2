// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK

/// Parsing the backend's list of models.
struct ChappieModelListTests {
  private static func list(_ text: String) throws -> [ChappieModel]? {
    CatalogueEntry.list(try ChappieJSONValue(json: text), of: .test)?.filter(\.isListed).map(\.model)
  }

  private static func slugs(_ entries: String...) throws -> [String]? {
    try list("{\"models\":[\(entries.joined(separator: ","))]}")?.map(\.slug)
  }

  /// The model of one entry.
  private static func model(_ members: String) throws -> ChappieModel? {
    try list("{\"models\":[{\"slug\":\"m\",\(members)}]}")?.first
  }

  @Test func readsAWholeEntry() throws {
    let models = try Self.list(
      """
      {"models":[{"slug":"gpt-5.5","display_name":"GPT-5.5","description":"The best.","visibility":"list",
        "supported_in_api":true,"priority":3,"input_modalities":["text","image"],
        "supported_reasoning_levels":[{"effort":"low","description":"quick"},{"effort":"high","description":""}],
        "supports_search_tool":true,"supports_parallel_tool_calls":true,"context_window":272000,
        "truncation_policy":{"mode":"tokens","limit":10000},"upgrade":null}]}
      """)
    #expect(
      models == [
        ChappieModel(
          slug: "gpt-5.5", displayName: "GPT-5.5", description: "The best.", supportedInAPI: true, priority: 3,
          inputModalities: ["text", "image"], supportedReasoningLevels: ["low", "high"], supportsSearchTool: true,
          searchesWeb: false, supportsParallelToolCalls: true, contextWindow: 272_000)
      ])
    #expect(models?.first?.id == "gpt-5.5")
  }

  @Test func missingFieldsMeanUnsupported() throws {
    let model = try #require(try Self.list(#"{"models":[{"slug":"bare"}]}"#)?.first)
    #expect(
      model
        == ChappieModel(
          slug: "bare", displayName: "bare", description: nil, supportedInAPI: false, priority: .max,
          inputModalities: ["text"], searchesWeb: false))
  }

  // MARK: Order

  @Test func lowestPriorityComesFirst() throws {
    var entries = (0..<50).map { "{\"slug\":\"m\($0)\",\"priority\":1}" }
    entries += [#"{"slug":"last","priority":7}"#, #"{"slug":"a","priority":-1}"#, #"{"slug":"b","priority":0}"#]
    let odd = [nil, "1e300", "\"0\"", "null", "[]", "true", "9223372036854775808"]
    for (index, priority) in odd.enumerated() {
      let member = priority.map { ",\"priority\":\($0)" } ?? ""
      entries.append("{\"slug\":\"odd\(index)\"\(member)}")
    }
    let slugs = ["a", "b"] + (0..<50).map { "m\($0)" } + ["last"] + odd.indices.map { "odd\($0)" }
    #expect(try Self.list("{\"models\":[\(entries.joined(separator: ","))]}")?.map(\.slug) == slugs)
  }

  // MARK: Requirements for requests

  @Test(arguments: [
    (#""use_responses_lite":true"#, RequestModel.Form.lite, nil), (#""use_responses_lite":"yes""#, .plain, nil),
    (#""multi_agent_reasoning_effort":"xhigh""#, .plain, "xhigh"),
    (#""multi_agent_reasoning_effort":"x y""#, .plain, nil),
  ])
  func readsTheRequirementsForRequests(_ member: String, _ form: RequestModel.Form, _ ultra: String?) throws {
    let entries = CatalogueEntry.list(
      try ChappieJSONValue(json: "{\"models\":[{\"slug\":\"m\",\"visibility\":\"hide\",\(member)}]}"), of: .test)
    #expect(entries?.first?.form == form)
    #expect(entries?.first?.ultra == ultra)
    #expect(entries?.first?.isListed == false)
  }

  // MARK: Omitted entries

  @Test func omitsHiddenModels() throws {
    let slugs = try Self.slugs(
      #"{"slug":"a","visibility":"hide"}"#, #"{"slug":"b","visibility":"none"}"#, #"{"slug":"c","visibility":"list"}"#,
      #"{"slug":"d"}"#, #"{"slug":"e","visibility":"some day"}"#, #"{"slug":"f","visibility":null}"#)
    #expect(slugs == ["c", "d", "f"])
    #expect(try Self.slugs() == [])
  }

  /// The first entry with a slug wins.
  @Test(arguments: [
    "{}", "null", "7", "\"m\"", "[]", #"{"slug":""}"#, #"{"slug":7}"#, #"{"slug":"two words"}"#, #"{"slug":"a\nb"}"#,
    #"{"slug":"\u001b[31m"}"#, #"{"slug":"\u0000"}"#, #"{"slug":"é"}"#,
    "{\"slug\":\"\(String(repeating: "m", count: 256))\"}",
  ])
  func omitsAnEntryWithoutAUsableSlug(_ entry: String) throws {
    let long = String(repeating: "m", count: 255)
    let models = try Self.list(
      """
      {"models":[\(entry),{"slug":"good","display_name":"first"},{"slug":"good"},{"slug":"\(long)"}]}
      """)
    #expect(models?.map(\.slug) == ["good", long] && models?.first?.displayName == "first")
  }

  @Test(arguments: ["{}", "[]", "null", "7", #"{"models":null}"#, #"{"models":{}}"#, #"{"detail":"no"}"#])
  func refusesOtherJSON(_ text: String) throws {
    #expect(try Self.list(text) == nil)
  }

  // MARK: Texts and numbers

  @Test(arguments: [
    (#""display_name":"a\u001b[2J\nb","description":"\u0007x\t\ty\r\n""#, "a [2J b", "x y"),
    (#""display_name":"","description":"""#, "m", nil), (#""display_name":" \n""#, "m", nil),
    (#""display_name":7"#, "m", nil),
  ])
  func textsHaveOneLineAndNoControlCharacters(_ members: String, _ name: String, _ description: String?) throws {
    let model = try #require(try Self.model(members))
    #expect(model.displayName == name && model.description == description)
  }

  @Test(arguments: [
    ("272000", 272_000), ("0", nil), ("-1", nil), ("1e300", nil), ("null", nil), ("\"8\"", nil),
    ("9223372036854775807", nil), ("4294967296", nil), ("4294967295", 4_294_967_295),
  ])
  func contextWindowIsAPositiveNumber(_ number: String, _ window: Int?) throws {
    #expect(try Self.model("\"context_window\":\(number)")?.contextWindow == window)
  }

  @Test(arguments: [
    ("[]", []), ("null", []), ("{}", []), ("[7,null,{}]", []),
    (#"["low",{"effort":"high"},{"effort":7}]"#, ["low", "high"]),
  ])
  func reasoningLevelsAreWords(_ list: String, _ levels: [String]) throws {
    #expect(try Self.model("\"supported_reasoning_levels\":\(list)")?.supportedReasoningLevels == levels)
  }

  @Test(arguments: [("[]", ["text"]), ("null", ["text"]), (#"["image"]"#, ["image"]), (#"[7,"a b"]"#, ["text"])])
  func modelHasAtLeastOneInputModality(_ list: String, _ modalities: [String]) throws {
    #expect(try Self.model("\"input_modalities\":\(list)")?.inputModalities == modalities)
  }
}

struct ChappieModelFilterTests {
  private static let models = [
    ChappieModel(
      slug: "best", displayName: "", supportedInAPI: false, inputModalities: ["text", "image"],
      supportedReasoningLevels: ["low", "high"], supportsSearchTool: true, supportsParallelToolCalls: true),
    ChappieModel(
      slug: "small", displayName: "", supportedInAPI: true, inputModalities: ["text"],
      supportedReasoningLevels: ["low"],
      supportsSearchTool: false, supportsParallelToolCalls: true),
    ChappieModel(
      slug: "ears", displayName: "", supportedInAPI: true, inputModalities: ["audio"], supportsSearchTool: false,
      supportsParallelToolCalls: false),
  ]

  @Test(arguments: [
    (ChappieModelFilter(), ["best", "small", "ears"]), (.default, ["small"]),
    (.init(supportedInAPI: true), ["small", "ears"]), (.init(supportedInAPI: false), ["best"]),
    (.init(inputModality: "image"), ["best"]), (.init(inputModality: "Image"), []), (.init(inputModality: ""), []),
    (.init(supportsSearchTool: true), ["best"]), (.init(supportsSearchTool: false), ["small", "ears"]),
    (.init(supportsParallelToolCalls: true), ["best", "small"]), (.init(supportsParallelToolCalls: false), ["ears"]),
    (.init(reasoningLevel: "low"), ["best", "small"]), (.init(reasoningLevel: "xhigh"), []),
    (.init(supportsParallelToolCalls: true, reasoningLevel: "high"), ["best"]),
    (.init(supportedInAPI: true, reasoningLevel: "high"), []),
  ])
  func matchesModelsInEveryCriterion(_ filter: ChappieModelFilter, _ slugs: [String]) {
    #expect(Self.models.filter(filter.matches).map(\.slug) == slugs)
  }
}

@GLibActor
struct ModelCacheTests {
  private let cache = ModelCache()
  private let start = ContinuousClock.now
  private let entries = [CatalogueEntry(model: ChappieModel(slug: "m", displayName: "m"))]
  private var models: [ChappieModel] { entries.map(\.model) }

  private func at(_ seconds: Double) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func listBelongsToOneAccount() {
    #expect(cache.models(for: "ada", at: start) == nil)
    cache.hear("e1", for: "ada", at: start)
    #expect(cache.models(for: "ada", at: start) == nil)
    cache.keep(entries, etag: "e1", for: "ada", at: start)
    #expect(cache.models(for: "bob", at: start) == nil)
    #expect(cache.models(for: nil, at: start) == nil)
    cache.keep([], etag: nil, for: "ada", at: start)
    #expect(cache.models(for: "ada", at: start) == [])
  }

  @Test func etagsRenewOrDiscardTheList() {
    cache.keep(entries, etag: "e1", for: "ada", at: start)
    cache.hear("e1", for: "ada", at: at(200))
    #expect(cache.models(for: "ada", at: at(499.9)) == models)
    #expect(cache.models(for: "ada", at: at(500)) == nil)
    cache.hear("e2", for: "bob", at: at(201))
    #expect(cache.models(for: "ada", at: at(201)) == models)
    cache.hear("e2", for: "ada", at: at(201))
    #expect(cache.models(for: "ada", at: at(201)) == nil)
  }

  /// A list without an etag cannot be compared, and a request for each turn would defeat the cache.
  @Test func listWithoutAnEtagStaysUntilItExpires() {
    cache.keep(entries, etag: nil, for: "ada", at: start)
    cache.hear("e2", for: "ada", at: at(1))
    #expect(cache.models(for: "ada", at: at(299)) == models)
    #expect(cache.models(for: "ada", at: at(300)) == nil)
  }

  // MARK: The default

  private static func entry(_ slug: String, isListed: Bool = true) -> CatalogueEntry {
    CatalogueEntry(model: ChappieModel(slug: slug, displayName: slug), isListed: isListed)
  }

  private func standard(_ slugs: String..., for accountID: String? = "ada") -> String {
    cache.keep(slugs.map { Self.entry($0) }, etag: nil, for: accountID, at: start)
    return cache.model(for: .standard, of: "ada").slug
  }

  @Test func defaultIsTheSeedsModelWhileListed() {
    #expect(cache.model(for: .standard, of: "ada").slug == "gpt-5.5")
    #expect(standard("best", "gpt-5.5", "last") == "gpt-5.5")
    #expect(standard("best", "last") == "best")
    #expect(standard() == "gpt-5.5")
    #expect(standard("best", for: "bob") == "gpt-5.5")
    cache.keep([Self.entry("gpt-5.5", isListed: false), Self.entry("second")], etag: nil, for: "ada", at: start)
    #expect(cache.model(for: .standard, of: "ada").slug == "second")
  }

  /// A new list clears the refusal.
  @Test func refusedModelIsNoDefault() {
    #expect(standard("best", "gpt-5.5") == "gpt-5.5")
    cache.noteRefusal(of: "gpt-5.5", for: "ada")
    #expect(standard("best", "gpt-5.5") == "best")
    #expect(cache.offered(to: "ada") == ["best"])
    #expect(standard("gpt-5.5", "best") == "gpt-5.5")
  }

  @Test func expiredListStillGivesTheDefault() {
    #expect(cache.knowledge(for: "ada", at: start) == .none)
    // A failed request makes it unavailable for a minute.
    cache.noteFailure(at: start)
    #expect(cache.knowledge(for: "ada", at: at(59)) == .unavailable)
    #expect(cache.knowledge(for: "ada", at: at(60)) == .none)
    #expect(standard("best") == "best")
    #expect(cache.models(for: "ada", at: at(300)) == nil)
    #expect(cache.knowledge(for: "ada", at: at(299)) == .good)
    #expect(cache.knowledge(for: "ada", at: at(300)) == .old)
    #expect(cache.model(for: .standard, of: "ada").slug == "best")
  }

  @Test func chosenModelTakesTheFormOfItsEntry() {
    let lite = CatalogueEntry(model: ChappieModel(slug: "hidden", displayName: "h"), isListed: false, form: .lite)
    cache.keep([lite], etag: nil, for: "ada", at: start)
    #expect(cache.model(for: .chosen("hidden"), of: "ada").form == .lite)
    #expect(cache.model(for: .chosen("other"), of: "ada") == RequestModel(slug: "other"))
  }
}
