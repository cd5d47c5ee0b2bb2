import Testing

@testable import ChappieSDK

/// What a request says of the effort.
struct RequestModelTests {
  private static func word(_ wanted: String?, _ listed: [String]?, ultra: String? = nil) -> String? {
    RequestModel(slug: "m", efforts: listed, ultra: ultra)
      .effort(wanted.map { ChappieReasoningEffort(rawValue: $0) })
  }

  private static let usual = ["low", "medium", "high", "xhigh"]

  @Test func whatIsListedIsSent() {
    for word in Self.usual { #expect(Self.word(word, Self.usual) == word) }
    #expect(Self.word("thorough", ["thorough"]) == "thorough")
    #expect(Self.word(nil, Self.usual) == nil)
  }

  @Test func whatIsNotListedBecomesWhatIs() {
    #expect(Self.word("minimal", Self.usual) == "low")
    #expect(Self.word("minimal", ["minimal", "low"]) == "minimal")
    #expect(Self.word("medium", ["low", "max"]) == "max")
    #expect(Self.word("max", Self.usual) == "xhigh")
  }

  /// No effort is another matter than little.
  @Test func noneStaysNone() {
    #expect(Self.word("none", Self.usual) == "none")
  }

  @Test func whatIsOnNoScaleIsLeftToTheBackend() {
    #expect(Self.word("turbo", Self.usual) == "turbo")
  }

  @Test func aModelWithoutEffortsIsToldNone() {
    #expect(Self.word("low", []) == nil)
  }

  /// A word for people, which the backend does not take.
  @Test func ultraIsWhatTheModelSays() {
    let listed = Self.usual + ["max", "ultra"]
    #expect(Self.word("ultra", listed, ultra: "xhigh") == "xhigh")
    #expect(Self.word("ultra", listed) == "max")
    #expect(Self.word("ultra", Self.usual) == "xhigh")
    #expect(Self.word("ultra", ["ultra"]) == nil)
  }

  @Test func withoutAListWordsGoAsTheyAre() {
    #expect(Self.word("minimal", nil) == "minimal")
    #expect(Self.word("ultra", nil) == "xhigh")
  }
}
