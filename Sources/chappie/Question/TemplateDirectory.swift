// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The templates of the user and of the system: `chappie/templates/NAME.txt` in the directories of configurations.
enum TemplateDirectory {
  private static let suffix = ".txt"

  /// In order of precedence.
  private static var directories: [String] {
    ([Directories.configuration] + Directories.systemConfiguration).map { $0 + "/chappie/templates" }
  }

  /// Whether a word can be the name of a template: up to 64 letters, digits, `.`, `_` and `-` of ASCII, and no `.` first.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix(".")
      && name.utf8.allSatisfy { TemplateText.isName($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
  }

  /// Reads the template with a name.
  ///
  /// - Throws: ``CommandLineError`` if there is none, or if it cannot be used.
  static func template(_ name: String) throws -> Template {
    guard isName(name) else {
      throw CommandLineError(tr("“\(name)” is no name of a template: use letters, digits, ., _ and -."))
    }
    for directory in directories {
      let path = "\(directory)/\(name)\(suffix)"
      if Files.exists(path) { return try Template(name, at: path) }
    }
    throw CommandLineError(tr("There is no template “\(name)”: chappie templates lists them."))
  }

  /// The names and paths of all templates, in order of the alphabet.
  ///
  /// - Throws: ``FileError`` if a directory cannot be read.
  static func all() throws(FileError) -> [(name: String, path: String)] {
    var paths: [String: String] = [:]
    for directory in directories {
      for file in try Files.names(in: directory) where file.hasSuffix(suffix) {
        let name = String(file.dropLast(suffix.count))
        if isName(name), paths[name] == nil { paths[name] = "\(directory)/\(file)" }
      }
    }
    return paths.sorted { $0.key < $1.key }.map { (name: $0.key, path: $0.value) }
  }

  /// Where the user's templates belong.
  static var place: String { directories[0] }
}
