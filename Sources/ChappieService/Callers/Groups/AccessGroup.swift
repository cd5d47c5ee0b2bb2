// SPDX-License-Identifier: Apache-2.0
import GLibBridge

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

    init(_ reason: String) {
      self.reason = reason
    }
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
      throw Flaw("it is no key file: \((error as? GLibError)?.message ?? "\(error)")")
    }
    guard file.groupNames.contains(Self.section) else { throw Flaw("it has no [\(Self.section)]") }
    guard let name = file.string(Self.section, "Name") else { throw Flaw("it has no Name=") }
    guard Self.isName(name) else { throw Flaw("Name= is no group's name, such as TEAMID.com.example.shared") }
    guard let list = file.strings(Self.section, "Members") else { throw Flaw("it has no Members=") }
    self.name = name
    var members: Set<AppID> = []
    for text in list.map({ $0.filter { $0 != " " } }) where !text.isEmpty {
      guard let member = AppID(text) else { throw Flaw("Members= has '\(text)', which is no app's id") }
      members.insert(member)
    }
    self.members = members
    switch file.string(Self.section, "OneDeveloper") {
    case nil, "false": declaresOneDeveloper = false
    case "true": declaresOneDeveloper = true
    case let other?: throw Flaw("OneDeveloper= has '\(other)', which is neither true nor false")
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
