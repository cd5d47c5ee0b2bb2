// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// A directory of one test's own, which is deleted with this value.
public final class TemporaryDirectory: Sendable {
  public let path: String

  public init() throws {
    path = FileManager.default.temporaryDirectory.path + "/chappie-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file and returns its path.
  public func file(_ name: String, _ content: some Collection<UInt8>) throws -> String {
    let path = path + "/" + name
    try Data(content).write(to: URL(filePath: path))
    return path
  }
}
