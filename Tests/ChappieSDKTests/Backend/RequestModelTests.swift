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

  @Test(
    arguments: [
      ("xhigh", usual, "xhigh"), ("thorough", ["thorough"], "thorough"), (nil, usual, nil),
      ("minimal", usual, "low"), ("minimal", ["minimal", "low"], "minimal"), ("medium", ["low", "max"], "max"),
      ("max", usual, "xhigh"),
      // No effort differs from low effort, so the nearest listed effort does not replace it.
      ("none", usual, "none"),
      // An unknown word.
      ("turbo", usual, "turbo"), ("low", [], nil), ("minimal", nil, "minimal"),
    ] as [(String?, [String]?, String?)])
  func sendsTheNearestListedEffort(_ wanted: String?, _ listed: [String]?, _ sent: String?) {
    #expect(Self.effort(wanted, listed) == sent)
  }

  /// The backend does not accept `ultra` in a request; only users see this word.
  @Test func replacesUltraByTheModelsOwnEffort() {
    let listed = Self.usual + ["max", "ultra"]
    #expect(Self.effort("ultra", listed, ultra: "xhigh") == "xhigh")
    #expect(Self.effort("ultra", listed) == "max")
    #expect(Self.effort("ultra", Self.usual) == "xhigh")
    #expect(Self.effort("ultra", ["ultra"]) == nil)
    #expect(Self.effort("ultra", nil) == "xhigh")
  }
}
