// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

@testable import ChappieService

struct AccessGroupTests {
  private static func read(_ text: String) throws(AccessGroup.Flaw) -> AccessGroup {
    try AccessGroup(Array(text.utf8))
  }

  @Test func parsesNameAndMembers() throws {
    let group = try Self.read(
      """
      # Shared by the app and its widget.
      [Access Group]
      Name=TEAMID.com.example.shared
      Members=org.example.App; org.example.Widget;snap.example
      Comment=More keys may come.

      [Something Else]
      Key=value
      """)
    #expect(group.name == "TEAMID.com.example.shared")
    #expect(group.members.map(\.text).sorted() == ["org.example.App", "org.example.Widget", "snap.example"])
    #expect(try Self.read("[Access Group]\nName=a.b\nMembers= ; ; \n").members.isEmpty)
  }

  @Test(
    arguments: [
      ("nonsense", "no key file"), ("[Access Group", "no key file"), ("[Group]\nName=a.b\n", "no [Access Group]"),
      ("[Access Group]\nMembers=org.example.App;\n", "no Name="), ("[Access Group]\nName=a.b\n", "no Members="),
      ("[Access Group]\nName=\nMembers=\n", "no group's name"),
      ("[Access Group]\nName=a.b\nMembers=org.example.App;../x;\n", "'../x'"),
      ("[Access Group]\nName=a.b\nMembers=org.example.App,org.example.Widget\n", "no app's id"),
      ("[Access Group]\nName=a.b\nMembers=*\n", "'*'"),
      ("[Access Group]\nName=a.b\nMembers=\nOneDeveloper=yes\n", "neither true nor false"),
    ])
  func rejectsInvalidFiles(_ text: String, _ reason: String) {
    let flaw = #expect(throws: AccessGroup.Flaw.self) { try Self.read(text) }
    #expect(flaw?.reason.contains(reason) == true, "\(flaw?.reason ?? "")")
  }

  @Test(arguments: [
    ("org.example.App;org.example.Widget", true), ("org.example.App;org.example.tools.Widget", true),
    ("org.example.App", true), ("org.example.App;org.other.App", false), ("org.example.App;com.example.App", false),
    ("uk.co.one.App;uk.co.one.Widget", true), ("uk.co.one.App;uk.co.two.App", false),
    ("io.github.alice.App;io.github.alice.Widget", true), ("io.github.alice.App;io.github.bob.App", false),
    ("com.github.alice.App;com.github.Alice.Widget", true), ("com.github.alice.App;com.github.bob.App", false),
    ("com.github.App;com.github.Widget", false), ("io.github.App;io.github.Widget", false),
    ("snap.one;snap.two", false), ("snap.one;org.example.App", false), ("snap.one", true), ("", false),
    ("unknown.nowhere.App;unknown.nowhere.Widget", false),
  ])
  func oneDeveloperHasOneDomain(_ members: String, _ isOne: Bool) throws {
    let text = "[Access Group]\nName=a.b\nMembers=\(members)\n"
    #expect(try Self.read(text).isOfOneDeveloper == isOne)
    #expect(try Self.read(text + "OneDeveloper=false\n").isOfOneDeveloper == isOne)
    #expect(try Self.read(text + "OneDeveloper=true\n").isOfOneDeveloper == !members.isEmpty)
  }

  /// Apple's team identifiers may start with a digit.
  @Test(arguments: [
    "9JA89QQLNQ.com.example.shared", "a.b", "group.org-example.x_1", "a." + String(repeating: "b", count: 253),
  ])
  func acceptsValidNames(_ name: String) {
    #expect(AccessGroup.isName(name))
    #expect(!AccessGroup.isName(name + "."))
    #expect(!AccessGroup.isName("." + name))
    #expect(!AccessGroup.isName(name + String(repeating: "b", count: 256 - name.utf8.count)))
    for other in ["", "shared", "a..b", "a/b.c", "a.b c", "a.ü"] { #expect(!AccessGroup.isName(other), "\(other)") }
  }

  @Test func theSampleFileIsValid() throws {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let group = try AccessGroup(Array(Data(contentsOf: root.appending(path: "data/access-group.conf"))))
    #expect(group.name == "TEAMID.com.example.shared")
    #expect(group.members.map(\.text).sorted() == ["com.example.App", "com.example.Widget"])
  }
}

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
    AccessGroupFiles(in: ["/nowhere", user.path, system.path, distribution.path])
  }

  private func members(_ group: String) -> [String]? {
    files.groups[group]?.members.map(\.text).sorted()
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
