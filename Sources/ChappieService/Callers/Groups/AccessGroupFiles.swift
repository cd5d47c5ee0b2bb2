// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Platform

/// The content of the key files that define access groups.
///
/// The files are `chappie/access-groups.d/*.conf` in the user's configuration directory, then in each of the system's
/// data directories. As in other such directories of a Linux desktop, a file hides the files of the same name in later
/// directories, even if it is invalid or empty. So a user can change or remove a definition that a package installed.
/// Files of different names can define the same group, and their members add up: each app can install its own file.
struct AccessGroupFiles: Equatable, Sendable {
  struct Problem: Hashable, Sendable {
    let path: String
    let reason: String
  }

  static let sizeLimit = 64 << 10
  static let standardDirectories = ([Directories.configuration] + Directories.systemData).map {
    $0 + "/chappie/access-groups.d"
  }

  /// The groups by their names.
  private(set) var groups: [String: AccessGroup] = [:]
  /// The problems of the files that were skipped.
  private(set) var problems: [Problem] = []

  /// Reads all files in `directories`, which are in order of precedence. It may block.
  init(in directories: [String]) {
    var seen: Set<String> = []
    for directory in directories {
      for name in names(in: directory) where name.hasSuffix(".conf") && seen.insert(name).inserted {
        add("\(directory)/\(name)")
      }
    }
  }

  private mutating func names(in directory: String) -> [String] {
    do {
      return try Files.names(in: directory)
    } catch {
      problems.append(Problem(path: directory, reason: "\(error)"))
      return []
    }
  }

  private mutating func add(_ path: String) {
    do {
      let content = try Files.read(path, limit: Self.sizeLimit)
      guard !content.isEmpty else { return }
      let group = try AccessGroup(content)
      groups[group.name, default: group].add(group)
    } catch let flaw as AccessGroup.Flaw {
      problems.append(Problem(path: path, reason: flaw.reason))
    } catch {
      problems.append(Problem(path: path, reason: "\(error)"))
    }
  }
}
