// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

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
    (ChappieModelFilter(), ["best", "small", "ears"]),
    (.default, ["small"]),
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
