// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieSDK

struct ChappiePluginManifestTests {
  private static let text = """
    {
      "identifier": "com.example.shop", "displayName": "Shop", "summary": "For people.", "version": "1.0.0",
      "harness": {"name": "Inventory", "tools": [{"name": "find", "description": "Base."}],
        "plugins": [{"name": "Labels", "description": "Prints labels."}]},
      "tools": [{"name": "find", "description": "Dropped."}, {"name": "order", "policy": "ask"}],
      "plugins": [{"name": "Labels", "description": "Prints labels."}],
      "metadata": {"endpoint": "https://example.com", "limits": {"daily": 5}}
    }
    """

  private static let manifest = ChappiePluginManifest(
    identifier: "com.example.shop", displayName: "Shop", summary: "For people.", version: "1.0.0",
    harness: ChappieHarness(
      name: "Inventory", tools: [ChappieHarnessTool(name: "find", description: "Base.")],
      plugins: [ChappieHarnessPlugin(name: "Labels", description: "Prints labels.")]),
    tools: [
      ChappieHarnessTool(name: "find", description: "Dropped."),
      ChappieHarnessTool(name: "order", description: "", policy: .ask),
    ],
    plugins: [ChappieHarnessPlugin(name: "Labels", description: "Prints labels.")],
    metadata: ["endpoint": "https://example.com", "limits": ["daily": 5]])

  // MARK: Resolving

  @Test func resolvedHarnessKeepsTheFirstToolOfEachName() {
    let resolved = Self.manifest.resolvedHarness
    #expect(resolved.tools.map(\.name) == ["find", "order"])
    #expect(resolved.tools.map(\.description) == ["Base.", ""])
    #expect(resolved.plugins.map(\.name) == ["Labels", "Labels"])
    #expect(resolved.name == "Inventory" && resolved.instructions == Self.manifest.harness.instructions)
    // The manifest's fields for people and for the app do not reach the model.
    for hidden in ["com.example.shop", "Shop", "For people.", "endpoint", "https://example.com", "Dropped."] {
      #expect(!resolved.rendered.contains(hidden))
    }
    var manifest = Self.manifest
    manifest.harness.tools.append(ChappieHarnessTool(name: "find", description: "Twin."))
    #expect(manifest.resolvedHarness.tools.map(\.description) == ["Base.", ""])
  }

  // MARK: Loading

  @Test func codingRoundTrips() throws {
    #expect(try JSONDecoder().decode(ChappiePluginManifest.self, from: Data(Self.text.utf8)) == Self.manifest)
    let encoded = try JSONEncoder().encode(Self.manifest)
    #expect(try JSONDecoder().decode(ChappiePluginManifest.self, from: encoded) == Self.manifest)
    let small = ChappiePluginManifest(identifier: "a", displayName: "b", summary: "", harness: .none)
    #expect(try ChappiePluginManifest(json: small.jsonValue.json) == small)
  }

  @Test(arguments: [
    ("identifier", "null", "The field 'identifier' of the plugin manifest is missing."),
    ("identifier", "\"\"", "The field 'identifier' of the plugin manifest must be a string that is not empty."),
    ("displayName", "1", "The field 'displayName' of the plugin manifest must be a string."),
    ("harness", "null", "The field 'harness' of the plugin manifest is missing."),
    ("harness", "\"x\"", "In 'harness' of the plugin manifest, a JSON object is expected."),
    ("harness", #"{"name":1}"#, "The field 'name' of 'harness' of the plugin manifest must be a string."),
    ("tools", "[{}]", "The field 'name' of number 1 in 'tools' of the plugin manifest is missing."),
    ("metadata", "[]", "The field 'metadata' of the plugin manifest must be an object."),
  ])
  func errorNamesTheField(_ field: String, _ value: String, _ problem: String) throws {
    var members = try #require(try ChappieJSONValue(json: Self.text).objectValue)
    members[field] = try ChappieJSONValue(json: value)
    #expect(throws: ChappieClientError.invalidArgument(problem)) {
      try ChappiePluginManifest(json: ChappieJSONValue.object(members).json)
    }
  }

  @Test(arguments: [
    ("[]", "In the plugin manifest, a JSON object is expected."),
    ("{", "The text is no JSON, is nested too deep, or has a name twice in an object."),
  ])
  func refusesAnythingButAnObject(_ text: String, _ problem: String) {
    #expect(throws: ChappieClientError.invalidArgument(problem)) { try ChappiePluginManifest(json: text) }
  }

  // MARK: Files

  @Test func readsAFileOfAtMostAMegabyte() throws {
    let directory = try TemporaryDirectory()
    #expect(try ChappiePluginManifest(contentsOfFile: directory.file("a.json", Self.text.utf8)) == Self.manifest)
    let long = try directory.file("long.json", (String(repeating: " ", count: 1 << 20) + Self.text).utf8)
    for path in ["/nonexistent/manifest.json", "/", "/dev/zero", long] {
      let error = #expect(throws: ChappieClientError.self) { try ChappiePluginManifest(contentsOfFile: path) }
      #expect(error?.description.hasPrefix("The plugin manifest \(path) cannot be read: ") == true)
    }
    let path = try directory.file("empty.json", "{}".utf8)
    let problem = "The field 'identifier' of the plugin manifest is missing."
    #expect(throws: ChappieClientError.invalidArgument("The plugin manifest \(path) cannot be used: \(problem)")) {
      try ChappiePluginManifest(contentsOfFile: path)
    }
  }
}
