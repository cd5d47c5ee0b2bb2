// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// A harness with additions, which can be stored, shared and loaded.
///
/// In JSON the keys are the names of the properties. Optional are `version`, `tools`, `plugins`, `metadata`, every
/// field of a harness, and a tool's `policy`.
public struct ChappiePluginManifest: Sendable, Hashable {
  /// A stable key: a reverse-DNS name.
  public var identifier: String
  /// For logs and debugging.
  public var displayName: String
  /// For people who read the manifest. The model does not see it.
  public var summary: String
  /// A semantic version.
  public var version: String?
  /// The harness that this manifest extends.
  public var harness: ChappieHarness
  /// Tools in addition to those of the harness.
  public var tools: [ChappieHarnessTool]
  /// Plugins in addition to those of the harness.
  public var plugins: [ChappieHarnessPlugin]
  /// For the app's own use, such as addresses and switches. The model does not see it.
  public var metadata: [String: ChappieJSONValue]

  /// Creates a manifest. Nothing is checked.
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

  /// The harness with the additions. If tools share a name, the first one counts, and the harness's tools come first.
  /// All plugins are kept.
  public var resolvedHarness: ChappieHarness {
    var resolved = harness
    var names: Set<String> = []
    resolved.tools = (harness.tools + tools).filter { names.insert($0.name).inserted }
    resolved.plugins = harness.plugins + plugins
    return resolved
  }

  // MARK: Loading

  /// The longest manifest file, in bytes.
  private static let fileLimit = 1 << 20

  /// Reads a manifest from JSON text.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the missing or wrong field.
  public init(json: String) throws(ChappieClientError) {
    try self.init(jsonValue: ChappieJSONValue(json: json))
  }

  /// Reads a manifest from a JSON file of at most 1 MiB.
  ///
  /// - Throws: ``ChappieClientError/invalidArgument(_:)``, which names the file and the missing or wrong field.
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
