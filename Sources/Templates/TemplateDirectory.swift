// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The templates of the user and of the system: `chappie/templates/NAME.txt` in the directories of configurations, and
/// of the system's data for those that belong to Chappie.
package enum TemplateDirectory {
  private static let suffix = ".txt"
  /// The largest number of actions.
  private static let actionLimit = 64
  /// How many files are searched for actions: a surface waits meanwhile.
  private static let fileLimit = 1000

  /// In order of precedence.
  private static var directories: [String] {
    let own = [Directories.configuration] + Directories.systemConfiguration
    return (own + [Directories.data] + Directories.systemData).map { $0 + "/chappie/templates" }
  }

  /// Whether a word can be the name of a template: up to 64 letters, digits, `.`, `_` and `-` of ASCII, and no `.` first.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.first != "."
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }

  /// Reads the template with a name.
  ///
  /// - Throws: ``CommandLineError`` if there is none, or if it cannot be used.
  package static func template(_ name: String) throws -> Template {
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
  package static func all() throws(FileError) -> [(name: String, path: String)] {
    paths(of: try directories.map { directory throws(FileError) in (directory, try Files.names(in: directory)) })
  }

  private static func paths(of files: [(directory: String, names: [String])]) -> [(name: String, path: String)] {
    var paths: [String: String] = [:]
    for (directory, names) in files {
      for file in names where file.hasSuffix(suffix) {
        let name = String(file.dropLast(suffix.count))
        if isName(name), paths[name] == nil { paths[name] = "\(directory)/\(file)" }
      }
    }
    return paths.sorted { $0.key < $1.key }.map { (name: $0.key, path: $0.value) }
  }

  /// Where the user's templates belong.
  package static var place: String { directories[0] }

  /// The templates that show as actions for the selected text, at most 64, in order of their titles. Those that cannot be
  /// used are left out, and so are directories that cannot be read: `chappie templates` says why.
  ///
  /// - Throws: ``FileError`` if there are none, and a directory cannot be read.
  package static func actions() throws(FileError) -> [Template] {
    var problem: FileError?
    var files: [(directory: String, names: [String])] = []
    for directory in directories {
      do throws(FileError) {
        files.append((directory, try Files.names(in: directory)))
      } catch {
        problem = error
      }
    }
    // Each file is read when it is its turn, so that only actions stay in memory.
    let templates = paths(of: files).prefix(fileLimit).lazy.compactMap { try? Template($0.name, at: $0.path) }
    let actions = templates.filter(\.isAction).prefix(actionLimit).sorted { $0.title.precedesInLists($1.title) }
    if actions.isEmpty, let problem { throw problem }
    return actions
  }
}
