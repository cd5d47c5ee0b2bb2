// SPDX-License-Identifier: Apache-2.0

/// The programs under test.
enum Binaries {
  /// The directory of the test bundle, or `CHAPPIE_BINARIES`.
  private static let directory: URL = {
    if let path = ProcessInfo.processInfo.environment["CHAPPIE_BINARIES"] { return URL(filePath: path) }
    return URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }()

  static let chappied = directory.appending(path: "chappied").path
  static let libraryHost = directory.appending(path: "library-host").path
  static let chappie = directory.appending(path: "chappie").path
  static let sandbox = directory.appending(path: "chappie-sandbox").path
}

/// The package of these tests.
enum SourceTree {
  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func path(of path: String) -> String { root.appending(path: path).path }

  /// The paths of all files below `folder`.
  static func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
  }

  private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
}
