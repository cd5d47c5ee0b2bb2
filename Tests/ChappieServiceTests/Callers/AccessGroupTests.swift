// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Testing

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
  }

  @Test(arguments: ["", ";", " ; ; "])
  func acceptsAnEmptyListOfMembers(_ list: String) throws {
    #expect(try Self.read("[Access Group]\nName=a.b\nMembers=\(list)\n").members.isEmpty)
  }

  @Test(
    arguments: [
      ("nonsense", "no key file"), ("[Access Group", "no key file"), ("[Group]\nName=a.b\n", "no [Access Group]"),
      ("[Access Group]\nMembers=org.example.App;\n", "no Name="), ("[Access Group]\nName=a.b\n", "no Members="),
      ("[Access Group]\nName=\nMembers=\n", "no group's name"),
      ("[Access Group]\nName=shared\nMembers=\n", "no group's name"),
      ("[Access Group]\nName=a..b\nMembers=\n", "no group's name"),
      ("[Access Group]\nName=a/b.c\nMembers=\n", "no group's name"),
      ("[Access Group]\nName=a.b c\nMembers=\n", "no group's name"),
      ("[Access Group]\nName=a.ü\nMembers=\n", "no group's name"),
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
  }

  @Test func theSampleFileIsValid() throws {
    let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let group = try AccessGroup(Array(Data(contentsOf: root.appending(path: "data/access-group.conf"))))
    #expect(group.name == "TEAMID.com.example.shared")
    #expect(group.members.map(\.text).sorted() == ["com.example.App", "com.example.Widget"])
  }
}
