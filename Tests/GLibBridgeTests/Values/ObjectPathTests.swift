// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

struct ObjectPathTests {
  /// The rules and, first, the example of sd_bus_path_encode(3).
  @Test(arguments: [
    ("foo.bar/com", "foo_2ebar_2fcom"), ("", "_"), ("abcXYZ019", "abcXYZ019"), ("0", "_30"), ("9lives", "_39lives"),
    ("a0", "a0"), ("_", "_5f"), ("a_b", "a_5fb"), ("-", "_2d"), ("me@example.org", "me_40example_2eorg"),
    ("é", "_c3_a9"), ("\u{1}", "_01"), ("\0", "_00"), ("a b", "a_20b"),
  ])
  func escapesAsSystemdDoes(_ text: String, _ escaped: String) {
    #expect(ObjectPath.escape(text) == escaped)
  }

  @Test func anyTextGivesAValidPath() throws {
    for scalar in (0..<0x250).compactMap(Unicode.Scalar.init) {
      for text in ["\(scalar)", "a\(scalar)", "\(scalar)/../\(scalar)"] {
        let path = ObjectPath.root.appending(text)
        #expect(ObjectPath(path.string) == path, "\(path)")
        #expect(path.string.split(separator: "/").count == 1, "\(path)")
      }
    }
  }

  @Test func differentTextsGiveDifferentPaths() {
    let texts = ["a", "A", "_a", "a_", "_61", "61", "", "_", "__", "a/b", "a_2fb", "a.b", "é", "e\u{301}"]
    #expect(Set(texts.map(ObjectPath.escape)).count == texts.count)
  }

  @Test(arguments: [
    ("/", true), ("/a", true), ("/org/chappie", true), ("/_", true), ("/a_/B9", true), ("", false), ("a", false),
    ("/a/", false), ("//", false), ("/a//b", false), ("/a-b", false), ("/a.b", false), ("/ä", false), ("/a b", false),
    ("/a\0", false), ("/a\0b", false),
  ])
  func acceptsValidPaths(_ text: String, _ isValid: Bool) {
    #expect(ObjectPath(text)?.string == (isValid ? text : nil))
  }

  @Test func convertsToAVariantAndBack() throws {
    let path = try #require(ObjectPath("/org/chappie"))
    #expect(path == ObjectPath.root.appending("org").appending("chappie"))
    #expect(path.description == path.string)
    #expect(path.variant.type == "o")
    #expect(try ObjectPath(variant: path.variant) == path)
    #expect(throws: VariantError(expected: "o", found: "s")) { try ObjectPath(variant: "/org".variant) }
  }
}
