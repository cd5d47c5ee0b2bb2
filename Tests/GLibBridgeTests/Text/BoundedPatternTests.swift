import Testing

@testable import GLibBridge

struct BoundedPatternTests {
  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    var time = Duration.seconds(10)
    return try BoundedPattern(pattern).matches(text, within: &time)
  }

  @Test(arguments: [
    ("b", "abc", true), ("^b", "abc", false), ("^$", "", true), ("^a$", "a\n", false), ("^a\\u0062$", "ab", true),
    ("ü", "für", true), ("^.$", "😀", true), ("b$", "a\nb", true), ("^b", "a\nb", false), ("(a)\\1", "xaa", true),
    ("(?<=a)b", "ab", true), ("a|^b", "cb", false), ("(?i)B", "ab", true), ("b.", "ab\n", false), ("", "x", true),
  ])
  func findsThePatternAnywhere(_ pattern: String, _ text: String, _ found: Bool) throws {
    #expect(try matches(pattern, text) == found)
    // A long text, for which other limits apply.
    let long = String(repeating: "-", count: 3000) + text
    if !pattern.contains("^") { #expect(try matches(pattern, long) == found) }
  }

  /// None of these is a complete JavaScript expression.
  @Test(arguments: ["[", "(", ")", "a)(b", "*", "\\", "(*UTF)a", "\\Qa", "(?x)a#"])
  func throwsForAnInvalidPattern(_ pattern: String) {
    #expect(throws: GLibError.self) { try BoundedPattern(pattern) }
  }

  @Test func throwsForALongPattern() {
    #expect(throws: GLibError.self) {
      try BoundedPattern(String(repeating: "a", count: BoundedPattern.lengthLimit + 1))
    }
  }

  /// The steps from each position are within the limit, but there are too many positions.
  @Test func throwsWhenAllPositionsTogetherTakeTooManySteps() throws {
    let pattern = "(?:[ab]{0,10}){0,5}[cd]"
    let text = String(repeating: "ab", count: 1000)
    #expect(throws: GLibError.self) { try matches(pattern, text) }
    #expect(throws: GLibError.self) { try matches("^(a+)+$", String(repeating: "a", count: 60) + "b") }
  }

  @Test func acceptsALongText() throws {
    let text = String(repeating: "a", count: BoundedPattern.textLimit)
    #expect(try matches("^a+$", text))
    #expect(try !matches("b", text))
    #expect(throws: GLibError.self) { try matches("a", text + "a") }
  }

  @Test func subtractsTheProcessorTime() throws {
    let pattern = try BoundedPattern("[a-f]+x")
    var time = Duration.seconds(1)
    _ = try pattern.matches(String(repeating: "abcdef", count: 300), within: &time)
    #expect(time < .seconds(1))
    time = .zero
    #expect(throws: GLibError.self) { try pattern.matches("a", within: &time) }
  }
}
