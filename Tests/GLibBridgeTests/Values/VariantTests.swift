// SPDX-License-Identifier: Apache-2.0
import GLibBridge

/// Conversion of each Swift type to its D-Bus type and back.
struct VariantConvertibleTests {
  private func expectRoundTrip<Value: VariantConvertible & Equatable>(
    _ values: [Value], as type: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(Value.variantType == type, sourceLocation: sourceLocation)
    for value in values {
      #expect(value.variant.unboxed.type == type, sourceLocation: sourceLocation)
      #expect(try Value(variant: value.variant) == value, sourceLocation: sourceLocation)
    }
  }

  @Test func numbersRoundTrip() throws {
    try expectRoundTrip([Int32.min, -1, 0, .max], as: "i")
    try expectRoundTrip([UInt32.min, 1, .max], as: "u")
    try expectRoundTrip([Int64.min, -1, 0, .max], as: "x")
    try expectRoundTrip([UInt64.min, 1, .max], as: "t")
    try expectRoundTrip([-Double.infinity, -0.5, 0, .leastNonzeroMagnitude, .pi, .greatestFiniteMagnitude], as: "d")
    #expect(try Double(variant: Double.nan.variant).isNaN)
    try expectRoundTrip([true, false], as: "b")
  }

  @Test func textRoundTrips() throws {
    let texts = [
      "", "text", "ünï", "日本語", "👩‍👩‍👧‍👦", "\u{1}\u{7F}\u{FEFF}", "line\r\nbreak\t", "e\u{301}",
      String(repeating: "äöü€😀", count: 1 << 19),
    ]
    try expectRoundTrip(texts, as: "s")
    // Swift compares canonical equivalence; the bytes must be equal as well.
    #expect(try String(variant: "e\u{301}".variant).utf8.elementsEqual("e\u{301}".utf8))
  }

  @Test func replacesZeroInText() throws {
    #expect(try String(variant: "a\0b\0".variant) == "a\u{FFFD}b\u{FFFD}")
    #expect(try String(variant: "\0".variant) == "\u{FFFD}")
    #expect(try String(variant: "\0\u{301}".variant).utf8.elementsEqual("\u{FFFD}\u{301}".utf8))
  }

  @Test func arraysRoundTrip() throws {
    try expectRoundTrip([["a", "", "b"], []], as: "as")
    try expectRoundTrip([[Int32(1), -1], []], as: "ai")
    try expectRoundTrip([[true, false]], as: "ab")
    try expectRoundTrip([[[["deep"], []], []], []] as [[[[String]]]], as: "aaas")
    try expectRoundTrip([[ObjectPath.root]], as: "ao")
    try expectRoundTrip([Array(0..<100_000).map(UInt32.init)], as: "au")
  }

  @Test func dictionariesRoundTrip() throws {
    let inner: VariantDictionary = ["list": ["a", "b"], "number": UInt64.max]
    let outer: VariantDictionary = ["inner": inner, "many": [inner, [:]], "text": "t", "path": ObjectPath.root]
    try expectRoundTrip([outer, inner, [:]], as: "a{sv}")
    try expectRoundTrip([[outer, [:]], []], as: "aa{sv}")
  }

  @Test func variantsRoundTrip() throws {
    let value = Variant.tuple("a", UInt32(1))
    #expect(Variant.variantType == "v")
    #expect(value.variant.type == "v")
    #expect(Variant(variant: value.variant) == value)
    let list = ["a".variant, UInt32(1).variant]
    #expect(list.variant.type == "av")
    #expect(try [Variant](variant: list.variant) == list)
    #expect(value.boxed.boxed.unboxed == value.boxed)
    #expect(value.unboxed == value)
  }

  @Test func aVariantKnowsItsTypeMembersAndBytes() {
    let value = Variant.tuple("text", UInt32(7), ["a"], VariantDictionary())
    #expect(value.isOfType("(suasa{sv})") && !value.isOfType("(suasa{ss})"))
    #expect(value.children.prefix(2) == ["text".variant, UInt32(7).variant])
    #expect("a".variant.children.isEmpty)
    #expect(Variant(bytes: Array("text\0".utf8), type: "s") == "text".variant)
    #expect("four".variant.byteCount == 5)
  }

  // MARK: Wrong types

  @Test func throwsForAnotherType() throws {
    let values: [Variant] = [
      "text".variant, Int32(1).variant, UInt32(1).variant, Int64(1).variant, UInt64(1).variant, 1.5.variant,
      true.variant, ObjectPath.root.variant, ["a"].variant, VariantDictionary().variant, .tuple("a"),
    ]
    let types: [any VariantConvertible.Type] = [
      String.self, Int32.self, UInt32.self, Int64.self, UInt64.self, Double.self, Bool.self, ObjectPath.self,
      [String].self, VariantDictionary.self,
    ]
    for type in types {
      for value in values where value.type != type.variantType {
        let error = #expect(throws: VariantError.self) { try type.init(variant: value) }
        #expect(error == VariantError(expected: type.variantType, found: value.type))
      }
    }
    // Nothing is unboxed implicitly.
    #expect(throws: VariantError(expected: "s", found: "v")) { try String(variant: "text".variant.boxed) }
  }

  @Test func theErrorNamesTheArgument() throws {
    let arguments = Variant.tuple("text", UInt32(7))
    #expect(try arguments.member(1, "count", as: UInt32.self) == 7)
    #expect(throws: VariantError(key: "count", expected: "i", found: "u")) {
      try arguments.member(1, "count", as: Int32.self)
    }
    #expect(throws: VariantError(key: "third", expected: "s", found: "nothing")) {
      try arguments.member(2, "third", as: String.self)
    }
    #expect(throws: VariantError(key: "first", expected: "s", found: "nothing")) {
      try ["no tuple"].variant.member(0, "first", as: String.self)
    }
    #expect(
      VariantError(key: "model", expected: "s", found: "u").description == "'model' must have type 's', not 'u'")
    #expect(VariantError(expected: "s", found: "u").description == "the value must have type 's', not 'u'")
  }
}

struct VariantDictionaryTests {
  @Test func returnsTypedValues() throws {
    let options: VariantDictionary = ["model": "gpt", "count": UInt32(7), "nested": ["a": true] as VariantDictionary]
    #expect(try options.value("model") == "gpt")
    #expect(try options.value("count", as: UInt32.self) == 7)
    #expect(try options.value("nested", as: VariantDictionary.self)?.value("a") == true)
    #expect(try options.value("missing", as: String.self) == nil)
    #expect(options["missing"] == nil)
    #expect(options["model"]?.type == "s")
  }

  @Test(arguments: ["model", "a key with 'quotes'", ""])
  func theErrorNamesTheKey(_ key: String) {
    var options = VariantDictionary()
    options.set(key, UInt32(1))
    #expect(throws: VariantError(key: key, expected: "s", found: "u")) {
      try options.value(key, as: String.self)
    }
    #expect(throws: VariantError(key: key, expected: "a{sv}", found: "u")) {
      try options.value(key, as: VariantDictionary.self)
    }
    options.set(key, [UInt32(1)])
    #expect(throws: VariantError(key: key, expected: "as", found: "au")) {
      try options.value(key, as: [String].self)
    }
  }

  @Test func setIgnoresNil() {
    var options: VariantDictionary = ["kept": "text"]
    options.set("kept", nil)
    options.set("missing", String?.none)
    #expect(options.keys == ["kept"])
    options.set("kept", UInt32(2))
    #expect(options == ["kept": UInt32(2)])
    options.remove("kept")
    #expect(options.isEmpty)
  }

  /// Equal dictionaries have the same serialised form, so logs and tests can compare them.
  @Test func isSortedOnTheBus() throws {
    let options: VariantDictionary = ["b": "2", "c": "3", "a": "1"]
    #expect(options.variant.description == "{'a': <'1'>, 'b': <'2'>, 'c': <'3'>}")
    #expect(options.keys == ["a", "b", "c"])
    // Each value is boxed once, and the last of equal keys counts.
    let mixed: VariantDictionary = ["any": "text".variant, "plain": "text"]
    #expect(mixed.variant.description == "{'any': <'text'>, 'plain': <'text'>}")
    #expect(try mixed.value("any", as: String.self) == "text")
    let twice = try Variant(parsing: "{'a': <'first'>, 'a': <'last'>}", type: "a{sv}")
    #expect(try VariantDictionary(variant: twice).value("a") == "last")
  }
}

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

  @Test(arguments: [
    ("/", true), ("/a", true), ("/org/chappie", true), ("/_", true), ("/a_/B9", true), ("", false), ("a", false),
    ("/a/", false), ("//", false), ("/a//b", false), ("/a-b", false), ("/a.b", false), ("/ä", false), ("/a b", false),
    ("/a\0", false), ("/a\0b", false),
  ])
  func acceptsValidPaths(_ text: String, _ isValid: Bool) {
    #expect(ObjectPath(text)?.string == (isValid ? text : nil))
  }
}
