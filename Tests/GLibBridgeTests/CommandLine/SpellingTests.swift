// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import GLibBridge

/// What a mistyped word probably means.
struct SpellingTests {
  @Test(arguments: [
    ("asc", "ask"), ("sing-in", "sign-in"), ("stauts", "status"), ("thread", "threads"), ("--modle", "--model"),
  ])
  func aNearWordIsSuggested(typed: String, meant: String) {
    let words = ["ask", "sign-in", "sign-out", "status", "threads", "--model", "--file"]
    #expect(Spelling.suggestion(for: typed, among: words) == " Did you mean “\(meant)”?")
  }

  @Test(arguments: ["", "x", "nonsense", "What is a bus?", String(repeating: "ask", count: 1000)])
  func aFarWordIsNot(typed: String) {
    #expect(Spelling.suggestion(for: typed, among: ["ask", "sign-in", "status"]) == "")
  }

  @Test func anUnknownOptionIsNamedWithItsNeighbour() throws {
    let parser = CommandLineParser(summary: "")
    _ = parser.string("model", placeholder: "MODEL", "")
    #expect(throws: CommandLineError("Unknown option --modle. Did you mean “--model”?")) {
      try parser.parse(["a", "--modle", "x"])
    }
  }
}
