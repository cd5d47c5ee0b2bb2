// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

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

  @Test func defaultMatchesTextModelsOfTheAPI() {
    #expect(ChappieModelFilter.default == ChappieModelFilter(supportedInAPI: true, inputModality: "text"))
  }
}
