import GLibBridge
import Platform

/// A harness with additions, as something that can be stored, shared and loaded.
///
/// In JSON the keys are the names of the properties; `version`, `tools`, `plugins` and `metadata` may be left out, and
/// so may everything of a harness and a tool's `policy`.
public struct ChappiePluginManifest: Sendable, Hashable {
  /// A stable key: a reverse-DNS name.
  public var identifier: String
  /// For logs and debugging.
  public var displayName: String
  /// For people who read the manifest. The model is not told.
  public var summary: String
  /// A semantic version.
  public var version: String?
  /// The base.
  public var harness: ChappieHarness
  /// Added to the tools of the base.
  public var tools: [ChappieHarnessTool]
  /// Added to the plugins of the base.
  public var plugins: [ChappieHarnessPlugin]
  /// For the app's own use, such as addresses and switches. The model is not told.
  public var metadata: [String: ChappieJSONValue]

  public init(
    identifier: String,
    displayName: String,
    summary: String,
    version: String? = nil,
    harness: ChappieHarness,
    tools: [ChappieHarnessTool] = [],
    plugins: [ChappieHarnessPlugin] = [],
    metadata: [String: ChappieJSONValue] = [:]
  ) {
    self.identifier = identifier
    self.displayName = displayName
    self.summary = summary
    self.version = version
    self.harness = harness
    self.tools = tools
    self.plugins = plugins
    self.metadata = metadata
  }

  /// The base with the additions. Of tools with one name the first counts, those of the base first; plugins are
  /// appended as they are.
  public var resolvedHarness: ChappieHarness {
    var resolved = harness
    var names: Set<String> = []
    resolved.tools = (harness.tools + tools).filter { names.insert($0.name).inserted }
    resolved.plugins = harness.plugins + plugins
    return resolved
  }

  // MARK: Loading

  /// A manifest file has at most this many bytes.
  private static let fileLimit = 1 << 20

  /// Reads a manifest from JSON text.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the field that is missing or wrong.
  public init(json: String) throws(ChappieClientError) {
    try self.init(jsonValue: ChappieJSONValue(json: json))
  }

  /// Reads a manifest from a JSON file of at most 1 MiB.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the file, and the field that is missing or wrong.
  public init(contentsOfFile path: String) throws(ChappieClientError) {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, limit: Self.fileLimit)
    } catch {
      throw .invalidArgument("The plugin manifest \(path) cannot be read: \(error).")
    }
    do {
      try self.init(json: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw .invalidArgument("The plugin manifest \(path) cannot be used: \(error)")
    }
  }
}
