// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TestSupport
import Testing

@testable import ChappieService

struct AccessGroupFilesTests {
  private static let app = "org.example.App"
  private static let widget = "org.example.Widget"

  private let user: TemporaryDirectory
  private let system: TemporaryDirectory
  private let distribution: TemporaryDirectory

  init() throws {
    user = try TemporaryDirectory()
    system = try TemporaryDirectory()
    distribution = try TemporaryDirectory()
  }

  private var files: AccessGroupFiles {
    AccessGroupFiles(in: [user.path, system.path, distribution.path])
  }

  private func members(_ group: String) -> [String]? {
    files.groups[group]?.members.map(\.text).sorted()
  }

  @Test func missingDirectoriesGiveNoGroups() {
    let files = AccessGroupFiles(in: ["/nowhere/at/all", user.path + "/missing"])
    #expect(files == AccessGroupFiles(in: []))
    #expect(files.groups.isEmpty)
    #expect(files.problems.isEmpty)
  }

  @Test func filesWithDifferentNamesAddUp() throws {
    try system.write("a.conf", group: "T.shared", Self.app)
    try distribution.write("b.conf", group: "T.shared", Self.widget)
    try user.write("c.conf", group: "T.other", "snap.example")
    #expect(members("T.shared") == [Self.app, Self.widget])
    #expect(members("T.other") == ["snap.example"])
    #expect(members("T.missing") == nil)
    #expect(files.problems.isEmpty)
  }

  /// A file that another developer installs adds members that are not the first one's.
  @Test func everyFileHasToDeclareTheOneDeveloper() throws {
    try system.write("a.conf", "[Access Group]\nName=T.shared\nMembers=snap.one;snap.two;\nOneDeveloper=true\n")
    #expect(files.groups["T.shared"]?.isOfOneDeveloper == true)
    try distribution.write("b.conf", group: "T.shared", "snap.three")
    #expect(files.groups["T.shared"]?.isOfOneDeveloper == false)
  }

  @Test func aFileHidesFilesOfTheSameNameInLaterDirectories() throws {
    try distribution.write("a.conf", group: "T.shared", Self.app)
    #expect(members("T.shared") == [Self.app])
    try system.write("a.conf", group: "T.shared", Self.widget)
    #expect(members("T.shared") == [Self.widget])
    // An empty file defines nothing and is valid.
    try user.write("a.conf", "")
    #expect(members("T.shared") == nil)
    #expect(files.problems.isEmpty)
  }

  /// A typing error in an override must not restore a membership that the override removes.
  @Test func anInvalidFileHidesFilesOfTheSameName() throws {
    try system.write("a.conf", group: "T.shared", Self.app)
    try user.write("a.conf", "[Access Group]\nName=T.shared\nMember=\n")
    #expect(members("T.shared") == nil)
    #expect(files.problems == [.init(path: user.path + "/a.conf", reason: "it has no Members=")])
  }

  @Test func skipsAndReportsInvalidFiles() throws {
    try system.write("bad.conf", "nonsense")
    try system.write("big.conf", String(repeating: "#", count: AccessGroupFiles.sizeLimit + 1))
    try FileManager.default.createDirectory(atPath: system.path + "/directory.conf", withIntermediateDirectories: false)
    try system.write("good.conf", group: "T.shared", Self.app)
    try system.write("other.txt", "nonsense")
    #expect(members("T.shared") == [Self.app])
    let names = files.problems.map { String($0.path.dropFirst(system.path.utf8.count + 1)) }
    #expect(names == ["bad.conf", "big.conf", "directory.conf"])
    #expect(files.problems.allSatisfy { !$0.reason.isEmpty })
  }

  @Test func followsSymbolicLinks() throws {
    try distribution.write("target", group: "T.shared", Self.app)
    try FileManager.default.createSymbolicLink(
      atPath: user.path + "/a.conf", withDestinationPath: distribution.path + "/target")
    #expect(members("T.shared") == [Self.app])
    // As in systemd, a link to /dev/null removes the definition.
    try system.write("b.conf", group: "T.other", Self.app)
    try FileManager.default.createSymbolicLink(atPath: user.path + "/b.conf", withDestinationPath: "/dev/null")
    #expect(members("T.other") == nil)
  }
}

extension TemporaryDirectory {
  fileprivate func write(_ name: String, group: String, _ members: String) throws {
    try write(name, "[Access Group]\nName=\(group)\nMembers=\(members);\n")
  }

  fileprivate func write(_ name: String, _ text: String) throws {
    _ = try file(name, text.utf8)
  }
}
