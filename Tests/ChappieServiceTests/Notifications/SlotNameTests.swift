// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChappieSDK
@testable import ChappieService

struct SlotNameTests {
  private func name(
    service: String? = nil, account: String? = nil, group: String? = nil, app: String? = nil
  ) -> SlotName {
    var configuration = ChappieConfiguration()
    configuration.keychainService = service ?? configuration.keychainService
    configuration.keychainAccount = account ?? configuration.keychainAccount
    configuration.keychainAccessGroup = group
    configuration.applicationID = app.map { .sandboxed($0) } ?? .desktopUser
    return SlotName(SlotIdentity(configuration))
  }

  @Test func theDefaultAccountHasNoName() {
    #expect(name().text == nil)
    #expect(name().command == "chappie sign-in")
  }

  @Test func anotherAccountHasANameAndACommand() {
    #expect(name(account: "work").text == "account “work”")
    #expect(name(account: "work").command == "chappie sign-in --account work")
    #expect(name(account: "it's mine; $(id)").command == #"chappie sign-in --account 'it'\''s mine; $(id)'"#)
    #expect(name(account: "-x").command == "chappie sign-in --account '-x'")
  }

  /// No command is offered for these slots, because `chappie` cannot reach them.
  @Test func aProgramsSlotHasTheProgramsName() {
    #expect(name(app: "org.example.App").text == "org.example.App")
    #expect(name(account: "work", app: "org.example.App").text == "account “work” of org.example.App")
    #expect(name(service: "com.example.tool").text == "com.example.tool")
    #expect(name(group: "TEAM.com.example.shared").text == "TEAM.com.example.shared")
    #expect(name(group: "TEAM.com.example.shared", app: "org.example.App").text == "TEAM.com.example.shared")
    #expect(name(service: "com.example.tool", app: "org.example.App").text == "org.example.App")
    for name in [name(app: "org.example.App"), name(service: "com.example.tool"), name(group: "TEAM.x")] {
      #expect(name.command == nil)
    }
  }

  @Test func replacesInvisibleCharactersAndShortensLongNames() {
    #expect(name(account: "a\u{202E}b\u{2028}c\u{200B}").text == "account “a\u{FFFD}b\u{FFFD}c\u{FFFD}”")
    #expect(name(account: "a\u{202E}b").command == nil)
    let long = name(account: String(repeating: "x", count: 255))
    #expect(long.text == "account “\(String(repeating: "x", count: 63))…”")
    #expect(long.command == nil)
  }
}
