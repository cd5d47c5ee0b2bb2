// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK

struct ChappieApplicationIDTests {
  @Test func defaultIsTheProgramsName() {
    // A test has no `GApplication`.
    #expect(Program.applicationID == nil)
    #expect(!Program.name.isEmpty)
    #expect(ChappieConfiguration().applicationID.attribute == "host:\(Program.name)")
  }

  @Test func desktopUserIsNeverTheDefault() {
    #expect(ChappieApplicationID.desktopUser.attribute == nil)
    #expect(ChappieApplicationID.desktopUser.isDesktopUser)
    #expect(!ChappieApplicationID.program.isDesktopUser)
  }

  /// Ids become attributes in the keyring.
  @Test(arguments: ["", "a/b", "../x", "a\nb", "a\u{0}b", "\u{1B}[2J", String(repeating: "x", count: 256)])
  func refusesAnInvalidID(_ id: String) {
    #expect(throws: ChappieClientError.self) { try ChappieApplicationID(id) }
  }

  @Test(arguments: ["org.example.App", "My App", "ä", String(repeating: "x", count: 255)])
  func acceptsNames(_ id: String) throws {
    #expect(try ChappieApplicationID(id).attribute == "host:\(id)")
  }

  /// The text in a keyring editor.
  @Test func labelContainsTheID() throws {
    let host = SlotIdentity(ChappieConfiguration(applicationID: try ChappieApplicationID("org.example.App")))
    #expect(Credential.label(of: host) == "ChatGPT sign-in (org.example.App, default)")
    let user = SlotIdentity(ChappieConfiguration(applicationID: .desktopUser))
    #expect(Credential.label(of: user) == "ChatGPT sign-in (com.chappie.sdk, default)")
  }
}
