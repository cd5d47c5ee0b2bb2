import Testing

@testable import ChappieSDK

/// The effort in a request.
struct RequestModelTests {
  private static func word(_ wanted: String?, _ listed: [String]?, ultra: String? = nil) -> String? {
    RequestModel(slug: "m", efforts: listed, ultra: ultra)
      .effort(wanted.map { ChappieReasoningEffort(rawValue: $0) })
  }

  private static let usual = ["low", "medium", "high", "xhigh"]

  @Test func sendsAListedEffort() {
    for word in Self.usual { #expect(Self.word(word, Self.usual) == word) }
    #expect(Self.word("thorough", ["thorough"]) == "thorough")
    #expect(Self.word(nil, Self.usual) == nil)
  }

  @Test func replacesAnUnlistedEffortByAListedOne() {
    #expect(Self.word("minimal", Self.usual) == "low")
    #expect(Self.word("minimal", ["minimal", "low"]) == "minimal")
    #expect(Self.word("medium", ["low", "max"]) == "max")
    #expect(Self.word("max", Self.usual) == "xhigh")
  }

  /// No effort differs from low effort, so the nearest listed effort does not replace it.
  @Test func sendsNoneEvenIfUnlisted() {
    #expect(Self.word("none", Self.usual) == "none")
  }

  @Test func sendsAnUnknownEffortUnchanged() {
    #expect(Self.word("turbo", Self.usual) == "turbo")
  }

  @Test func modelWithoutEffortsGetsNone() {
    #expect(Self.word("low", []) == nil)
  }

  /// The backend does not accept `ultra` in a request; only users see this word.
  @Test func replacesUltraByTheModelsOwnEffort() {
    let listed = Self.usual + ["max", "ultra"]
    #expect(Self.word("ultra", listed, ultra: "xhigh") == "xhigh")
    #expect(Self.word("ultra", listed) == "max")
    #expect(Self.word("ultra", Self.usual) == "xhigh")
    #expect(Self.word("ultra", ["ultra"]) == nil)
  }

  @Test func sendsEffortsUnchangedWithoutAListExceptUltra() {
    #expect(Self.word("minimal", nil) == "minimal")
    #expect(Self.word("ultra", nil) == "xhigh")
  }
}
