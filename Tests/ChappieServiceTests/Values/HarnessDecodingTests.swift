// SPDX-License-Identifier: Apache-2.0
import ServiceConfiguration

@testable import ChappieService

struct HarnessDecodingTests {
  private static func refusal(_ dictionary: VariantDictionary) -> BusError? {
    (#expect(throws: (any Error).self) { try ChappieHarness(dictionary) }).map { BusError($0) }
  }

  private static func tool(_ tool: VariantDictionary) -> VariantDictionary { ["tools": [tool]] }

  // MARK: Presets

  @Test func readsEachPreset() throws {
    #expect(try ChappieHarness(["preset": "default"]) == .chappie)
    #expect(try ChappieHarness(["preset": "none"]) == .none)
    // Without a preset it keeps the guardrail.
    #expect(try ChappieHarness([:]) == ChappieHarness(name: "Chappie"))
    #expect(try ChappieHarness(["name": "App"]) == ChappieHarness(name: "App"))
    for (name, sample) in ChappieHarnessSamples.named { #expect(try ChappieHarness(["preset": name]) == sample) }
  }

  @Test func theErrorForAnUnknownPresetListsTheKnown() {
    let problem =
      "There is no harness preset 'nope': use one of default, none, inventory, media-player, notes, system-status."
    #expect(
      Self.refusal(["preset": "nope"]) == BusError(name: "org.chappie.Error.InvalidArgument", message: problem))
  }

  @Test func otherKeysReplaceTheValuesOfThePreset() throws {
    let harness = try ChappieHarness([
      "preset": "inventory", "name": "Shop", "plugins": [["name": "P"] as VariantDictionary],
    ])
    var expected = ChappieHarnessSamples.inventory
    expected.name = "Shop"
    expected.plugins = [ChappieHarnessPlugin(name: "P", description: "")]
    #expect(harness == expected)
    let none = try ChappieHarness(["preset": "none", "instructions": "Be brief."])
    #expect(none.rendered == "Be brief.")
  }

  // MARK: Tools and plugins

  @Test func readsToolsAndPlugins() throws {
    let harness = try ChappieHarness([
      "tools": [
        [
          "name": "find", "description": "Finds.", "input_schema": #"{"type":"object","required":["q"]}"#,
          "policy": "ask", "later": true,
        ],
        ["name": "look"],
      ] as [VariantDictionary],
      "plugins": [["name": "Tags", "description": "Adds tags.", "version": "1.2.0"], ["name": "Stars"]]
        as [VariantDictionary],
    ])
    #expect(
      harness.tools == [
        ChappieHarnessTool(
          name: "find", description: "Finds.", inputSchema: ["type": "object", "required": ["q"]], policy: .ask),
        ChappieHarnessTool(name: "look", description: ""),
      ])
    #expect(
      harness.plugins == [
        ChappieHarnessPlugin(name: "Tags", description: "Adds tags.", version: "1.2.0"),
        ChappieHarnessPlugin(name: "Stars", description: ""),
      ])
  }

  @Test(
    arguments: [
      (tool([:]), "A tool needs a 'name'."),
      (tool(["name": "a b"]), "A tool's name must have 1 to 64 letters, digits, '_' or '-' of ASCII, not 'a b'."),
      (tool(["name": "a", "input_schema": "{"]), "The 'input_schema' of the tool 'a' is no JSON."),
      (tool(["name": "a", "input_schema": #"{"type":"string"}"#]), "must be a JSON Schema with type 'object'."),
      (tool(["name": "a", "input_schema": #"{"type":"object","items":1}"#]), "must be an object, true or false."),
      (tool(["name": "a", "policy": "Ask"]), "There is no tool policy 'Ask': use automatic, ask or deny."),
      (["tools": [["name": "a"], ["name": "a"]] as [VariantDictionary]], "The harness declares the tool 'a' twice."),
      (["plugins": [["name": ""] as VariantDictionary]], "A plugin needs a 'name'."),
    ] as [(VariantDictionary, String)])
  func theErrorDescribesAnInvalidToolOrPlugin(_ dictionary: VariantDictionary, _ problem: String) {
    let error = Self.refusal(dictionary)
    #expect(error?.name == "org.chappie.Error.InvalidArgument")
    #expect(error?.message.hasSuffix(problem) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [("tools", "name", "s"), ("tools", "input_schema", "s"), ("plugins", "version", "s")])
  func theErrorNamesAKeyOfTheWrongType(_ list: String, _ key: String, _ type: String) {
    var (element, dictionary): (VariantDictionary, VariantDictionary) = (["name": "a"], [:])
    element.set(key, UInt64(1))
    dictionary.set(list, [element])
    #expect(throws: VariantError(key: key, expected: type, found: "t")) { try ChappieHarness(dictionary) }
    dictionary.set(list, ["a"])
    #expect(throws: VariantError(key: list, expected: "aa{sv}", found: "as")) { try ChappieHarness(dictionary) }
  }

  @Test func rejectsAHarnessThatIsTooLarge() {
    let error = Self.refusal(["instructions": String(repeating: "x", count: 1 << 20)])
    #expect(error?.name == "org.chappie.Error.LimitExceeded")
  }

  /// The time to read a schema of many references is linear in its length.
  @Test func readsASchemaOfManyDefinitions() throws {
    let definitions = (0..<5_000).map { ##""d\##($0)":{"$ref":"#/$defs/d\##($0 + 1)"}"## }.joined(separator: ",")
    let schema = ##"{"type":"object","$ref":"#/$defs/d0","$defs":{\##(definitions),"d5000":true}}"##
    #expect(throws: Never.self) { try ChappieHarness(Self.tool(["name": "a", "input_schema": schema])) }
  }

  // MARK: The property

  @Test(arguments: [
    ChappieHarness.default, .none, "Be kind.", ChappieHarnessSamples.inventory,
    ChappieHarness(plugins: [ChappieHarnessPlugin(name: "a", description: "b", version: "1")]),
  ])
  func decodesAnEncodedHarness(_ harness: ChappieHarness) throws {
    #expect(try ChappieHarness(harness.dictionary) == harness)
  }
}
