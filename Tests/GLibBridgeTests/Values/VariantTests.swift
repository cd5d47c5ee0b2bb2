// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

struct VariantTests {
  @Test func returnsItsType() {
    let value = Variant.tuple("text", UInt32(7), ["a"], VariantDictionary())
    #expect(value.type == "(suasa{sv})")
    #expect(value.isOfType("(suasa{sv})"))
    #expect(!value.isOfType("(suasa{ss})"))
    #expect(Variant.tuple([]).type == "()")
  }

  @Test func returnsItsMembersInOrder() throws {
    let children = Variant.tuple("a", UInt32(7), true).children
    #expect(children == ["a".variant, UInt32(7).variant, true.variant])
    #expect("a".variant.children.isEmpty)
    #expect([String]().variant.children.isEmpty)
  }

  @Test func makesArraysOfEntries() {
    let value = Variant.array(of: "{su}", [.entry("one".variant, UInt32(1).variant)])
    #expect(value.type == "a{su}")
    #expect(value.children.first?.children == ["one".variant, UInt32(1).variant])
    #expect(Variant.array(of: "{su}", []).type == "a{su}")
  }

  @Test func boxesAndUnboxes() {
    let value = "text".variant
    #expect(value.boxed.type == "v")
    #expect(value.boxed.unboxed == value)
    #expect(value.boxed.boxed.unboxed == value.boxed)
    #expect(value.unboxed == value)
  }

  // MARK: Text form

  @Test func parsesItsDescription() throws {
    let value = Variant.tuple("it's \"text\"", [Int64.min, .max], ["key": true] as VariantDictionary)
    #expect(try Variant(parsing: value.description, type: value.type) == value)
    #expect(try Variant(parsing: "('a', uint32 7)") == .tuple("a", UInt32(7)))
    #expect(try Variant(parsing: "[]", type: "as") == [String]().variant)
  }

  // MARK: Serialised form

  @Test func readsSerialisedBytes() {
    #expect(Variant(bytes: [7, 0, 0, 0], type: "u") == UInt32(7).variant)
    #expect(Variant(bytes: Array("text\0".utf8), type: "s") == "text".variant)
    #expect(UInt32(1).variant.byteCount == 4)
    #expect("four".variant.byteCount == 5)
  }
}
