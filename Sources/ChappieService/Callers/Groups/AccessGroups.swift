// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform

/// An access group as one key file defines it: apps that may share credentials.
///
///     [Access Group]
///     Name=TEAMID.com.example.shared
///     Members=org.example.App;org.example.Widget;snap.example;
///     OneDeveloper=true
struct AccessGroup: Equatable, Sendable {
  /// The reason for which a key file defines no group: a clause with the file as its subject.
  struct Flaw: Error, Equatable {
    let reason: String
  }

  private static let section = "Access Group"

  let name: String
  private(set) var members: Set<AppID>
  /// Whether each file of the group says that its members have one developer.
  private var declaresOneDeveloper: Bool

  /// - Throws: ``Flaw``.
  init(_ content: [UInt8]) throws(Flaw) {
    let file: KeyFile
    do {
      file = try KeyFile(content)
    } catch {
      throw Flaw(reason: "it is no key file: \((error as? GLibError)?.message ?? "\(error)")")
    }
    guard file.groupNames.contains(Self.section) else { throw Flaw(reason: "it has no [\(Self.section)]") }
    guard let name = file.string(Self.section, "Name") else { throw Flaw(reason: "it has no Name=") }
    guard Self.isName(name) else { throw Flaw(reason: "Name= is no group's name, such as TEAMID.com.example.shared") }
    guard let list = file.strings(Self.section, "Members") else { throw Flaw(reason: "it has no Members=") }
    self.name = name
    var members: Set<AppID> = []
    for text in list.map({ $0.filter { $0 != " " } }) where !text.isEmpty {
      guard let member = AppID(text) else { throw Flaw(reason: "Members= has '\(text)', which is no app's id") }
      members.insert(member)
    }
    self.members = members
    switch file.string(Self.section, "OneDeveloper") {
    case nil, "false": declaresOneDeveloper = false
    case "true": declaresOneDeveloper = true
    case let other?: throw Flaw(reason: "OneDeveloper= has '\(other)', which is neither true nor false")
    }
  }

  /// Adds the members of another file that defines this group.
  mutating func add(_ other: AccessGroup) {
    members.formUnion(other.members)
    declaresOneDeveloper = declaresOneDeveloper && other.declaresOneDeveloper
  }

  /// Whether all members are apps of one developer: their ids name the same domain, or each file of the group says so.
  /// Only such a group may share one registration at the issuer, which is made for one developer's application.
  var isOfOneDeveloper: Bool {
    guard members.count > 1, !declaresOneDeveloper else { return !members.isEmpty }
    let developers = members.map(Developer.domain)
    return Set(developers).count == 1 && developers.first != .some(nil)
  }

  /// Whether `text` is a group name: two or more parts of ASCII letters, digits, `-` and `_`, separated by `.`, at most
  /// 255 bytes.
  static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 255 && parts.count >= 2 && parts.allSatisfy(\.isPlainName)
  }
}

/// The developer of an app, as the app's id names it.
enum Developer {
  /// Hosts that give each developer a name below their own. They are not in the list of public suffixes.
  private static let hosts: Set<String> = [
    "github.com", "gitlab.com", "codeberg.org", "frama.io", "sourceforge.net", "sourceforge.io",
  ]

  /// The developer's domain, such as `example.org` for `org.example.App` and `alice.github.io` for
  /// `io.github.alice.App`. Nil for a snap, whose name has no domain, and for an id below no domain of a developer.
  static func domain(of app: AppID) -> String? {
    guard !app.isSnap else { return nil }
    // An id has `_` in place of `-`, and its first parts are the domain in reverse.
    let parts = app.text.lowercased().map { $0 == "_" ? "-" : $0 }.split(separator: ".").dropLast()
    guard let domain = RegistrableDomain.of(parts.reversed().map { String($0) }.joined(separator: ".")) else {
      return nil
    }
    guard hosts.contains(domain) else { return domain }
    return parts.dropFirst(2).first.map { "\(String($0)).\(domain)" }
  }
}

/// Decides which apps may share credentials.
///
/// The service reads the files each time that a caller wants to use a group. A change on the disk takes effect with the
/// next call, on every file system, without a directory watch. The time is negligible beside a request to a server.
@GLibActor
final class AccessGroups {
  /// The time limit for reading: a home directory can be on a server that does not answer.
  private static let deadline = Duration.seconds(5)

  /// The present problems that were logged.
  private var reported: Set<AccessGroupFiles.Problem> = []

  /// Checks that a caller may use the credentials of `group`. A sandboxed app may if the group lists it. A program
  /// outside of a sandbox may if the group exists, since no boundary separates such programs.
  ///
  /// - Throws: `BusError` with `AccessDenied`.
  func admit(_ caller: CallerIdentity, to group: String) async throws {
    let members = try await definition(of: group).members
    switch caller {
    case .unsandboxed: break
    case .sandboxed(let app) where members.contains(app): break
    case .sandboxed(let app):
      Log.info("The app \(name: "\(app)") is refused: the access group \(name: group) does not list it.")
      throw BusError(
        .accessDenied,
        "\(app) is no member of the access group '\(group)': a file in chappie/access-groups.d has to list it, see "
          + "org.chappie(7).")
    case .unidentified: throw caller.denial
    }
  }

  /// Whether the members of `group` are apps of one developer, see ``AccessGroup/isOfOneDeveloper``.
  ///
  /// - Throws: `BusError` with `AccessDenied` if there is no such group.
  func isOfOneDeveloper(_ group: String) async throws -> Bool {
    try await definition(of: group).isOfOneDeveloper
  }

  private func definition(of group: String) async throws -> AccessGroup {
    let files = await offActor(deadline: Self.deadline) { AccessGroupFiles(in: AccessGroupFiles.standardDirectories) }
    guard let files else {
      throw BusError(.accessDenied, "The files that define access groups cannot be read now: try again later.")
    }
    report(files.problems)
    guard let definition = files.groups[group] else {
      Log.info("A caller is refused: there is no access group of the name that it gives.")
      throw BusError(
        .accessDenied,
        "There is no access group '\(group)': a file in chappie/access-groups.d has to define it, see org.chappie(7).")
    }
    return definition
  }

  /// Logs each problem once while it lasts.
  private func report(_ problems: [AccessGroupFiles.Problem]) {
    for problem in problems where !reported.contains(problem) {
      Log.warning("\(path: problem.path) is skipped: \(reason: problem.reason).")
    }
    reported = Set(problems)
  }
}

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
