import GLibBridge
import Platform

/// The key files that define access groups, as they are on the disk.
///
/// They are the files `chappie/access-groups.d/*.conf` in the user's configuration directory, then in each of the
/// system's data directories. As with other such directories of a Linux desktop, a file hides those of the same name in
/// later directories, also when it is bad, or empty and defines nothing: so a user can change or take away what a
/// package installed. Files of different names that define the same group add up: so each of its apps can bring its
/// own.
struct AccessGroupFiles: Equatable, Sendable {
  struct Problem: Hashable, Sendable {
    let path: String
    let reason: String
  }

  static let sizeLimit = 64 << 10
  static let standardDirectories = ([Directories.configuration] + Directories.systemData).map {
    $0 + "/chappie/access-groups.d"
  }

  /// The members of each group.
  private(set) var groups: [String: Set<AppID>] = [:]
  /// What was skipped.
  private(set) var problems: [Problem] = []

  /// Reads all files in `directories`, the most important first. It may block.
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
      groups[group.name, default: []].formUnion(group.members)
    } catch let flaw as AccessGroup.Flaw {
      problems.append(Problem(path: path, reason: flaw.reason))
    } catch {
      problems.append(Problem(path: path, reason: "\(error)"))
    }
  }
}
