// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

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
