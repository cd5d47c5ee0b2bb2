// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK

/// The effort in a request.
struct RequestModelTests {
  private static func effort(_ wanted: String?, _ listed: [String]?, ultra: String? = nil) -> String? {
    RequestModel(slug: "m", efforts: listed, ultra: ultra)
      .effort(wanted.map { ChappieReasoningEffort(rawValue: $0) })
  }

  private static let usual = ["low", "medium", "high", "xhigh"]

  @Test func sendsAListedEffort() {
    for word in Self.usual { #expect(Self.effort(word, Self.usual) == word) }
    #expect(Self.effort("thorough", ["thorough"]) == "thorough")
    #expect(Self.effort(nil, Self.usual) == nil)
  }

  @Test func replacesAnUnlistedEffortByAListedOne() {
    #expect(Self.effort("minimal", Self.usual) == "low")
    #expect(Self.effort("minimal", ["minimal", "low"]) == "minimal")
    #expect(Self.effort("medium", ["low", "max"]) == "max")
    #expect(Self.effort("max", Self.usual) == "xhigh")
  }

  /// No effort differs from low effort, so the nearest listed effort does not replace it.
  @Test func sendsNoneEvenIfUnlisted() {
    #expect(Self.effort("none", Self.usual) == "none")
  }

  @Test func sendsAnUnknownEffortUnchanged() {
    #expect(Self.effort("turbo", Self.usual) == "turbo")
  }

  @Test func modelWithoutEffortsGetsNone() {
    #expect(Self.effort("low", []) == nil)
  }

  /// The backend does not accept `ultra` in a request; only users see this word.
  @Test func replacesUltraByTheModelsOwnEffort() {
    let listed = Self.usual + ["max", "ultra"]
    #expect(Self.effort("ultra", listed, ultra: "xhigh") == "xhigh")
    #expect(Self.effort("ultra", listed) == "max")
    #expect(Self.effort("ultra", Self.usual) == "xhigh")
    #expect(Self.effort("ultra", ["ultra"]) == nil)
  }

  @Test func sendsEffortsUnchangedWithoutAListExceptUltra() {
    #expect(Self.effort("minimal", nil) == "minimal")
    #expect(Self.effort("ultra", nil) == "xhigh")
  }
}
