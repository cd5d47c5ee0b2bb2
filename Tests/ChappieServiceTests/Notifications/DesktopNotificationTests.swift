// SPDX-License-Identifier: Apache-2.0
import GLibBridge
import Testing

@testable import ChappieSDK
@testable import ChappieService

struct DesktopNotificationTests {
  private static let code = ChappieDeviceCode(
    userCode: "ABCD-12345", verificationAddress: "https://example.org/codex/device?a=1&b=2", expiresAtSeconds: 1)
  private static let everything = NotificationCapabilities(["actions", "body", "body-markup", "persistence"])
  private static let little = NotificationCapabilities(["body"])

  private func notification(
    _ update: SlotUpdates.Update, account: String? = nil, app: String? = nil, canCopy: Bool = false
  ) throws -> DesktopNotification {
    var configuration = ChappieConfiguration()
    configuration.keychainAccount = account ?? configuration.keychainAccount
    configuration.applicationID = app.map { .sandboxed($0) } ?? .desktopUser
    let name = SlotName(SlotIdentity(configuration))
    return try #require(DesktopNotification(update, of: name, canCopy: canCopy))
  }

  // MARK: Texts

  @Test func anEmptyUpdateGivesNoNotification() {
    let slot = SlotIdentity(ChappieConfiguration(applicationID: .desktopUser))
    #expect(DesktopNotification(.none, of: SlotName(slot)) == nil)
  }

  @Test func asksForANewSignIn() throws {
    let need = try notification(.needsSignIn(failure: nil))
    #expect(need.summary == "Sign in to ChatGPT again")
    #expect(
      need.body == """
        The sign-in has ended and cannot be renewed.
        In a terminal: chappie sign-in
        """)
    #expect(need.actions == [.signIn])
    #expect(
      try notification(.needsSignIn(failure: nil), account: "my work").body == """
        The sign-in of account “my work” has ended and cannot be renewed.
        In a terminal: chappie sign-in --account 'my work'
        """)
    let failed = SlotUpdates.Update.needsSignIn(failure: "The sign-in server was not reached: down.")
    #expect(
      try notification(failed, app: "org.example.App").body == """
        The sign-in of org.example.App has ended and cannot be renewed.
        The latest try failed. The sign-in server was not reached: down.
        Sign in again in the program that uses it.
        """)
  }

  @Test func showsTheCodeAndTheAddressInFull() throws {
    let notification = try notification(.waiting(.showCode(Self.code)))
    #expect(notification.summary == "Sign in to ChatGPT")
    #expect(notification.headline == "Code: ABCD-12345")
    #expect(
      notification.body == """
        Enter it at https://example.org/codex/device?a=1&b=2
        Continue only if you started this sign-in yourself.
        """)
    #expect(notification.actions == [.openPage])
    #expect(try self.notification(.waiting(.showCode(Self.code)), canCopy: true).actions == [.openPage, .copyCode])
    #expect(try self.notification(.needsSignIn(failure: nil), canCopy: true).headline == nil)
    let named = try self.notification(.waiting(.showCode(Self.code)), account: "work", app: "org.example.App")
    #expect(named.body.split(separator: "\n")[1] == "This signs in account “work” of org.example.App.")
  }

  @Test func offersThePageWithoutItsAddress() throws {
    let page = ChappieBrowserPage(authorizationAddress: "https://example.org/authorize?state=1", expiresAtSeconds: 1)
    let waiting = try notification(.waiting(.openPage(page, isElsewhere: false)), account: "work")
    #expect(waiting.summary == "Sign in to ChatGPT")
    #expect(waiting.headline == nil)
    #expect(
      waiting.body == """
        Continue in your browser.
        This signs in account “work”.
        The address of the page, in a terminal: chappie sign-in --account work
        Continue only if you started this sign-in yourself.
        """)
    #expect(waiting.actions == [.openPage])
    #expect(
      try !notification(.waiting(.openPage(page, isElsewhere: false)), app: "org.example.App").body.contains("terminal")
    )
    #expect(try notification(.waiting(.openPage(page, isElsewhere: false)), canCopy: true).actions == [.openPage])
  }

  @Test func reportsTheResultOfASignIn() throws {
    let linked = try notification(.linked(account: nil))
    #expect(linked.summary == "Signed in to ChatGPT")
    #expect(linked.body.isEmpty)
    #expect(linked.actions.isEmpty)
    #expect(try notification(.linked(account: "a@example.com")).body == "The account is a@example.com.")
    #expect(try notification(.linked(account: nil), account: "work").body == "This is for account “work”.")
    let failed = try notification(.failed("The sign-in server was not reached: down."), app: "org.example.App")
    #expect(failed.summary == "The sign-in to ChatGPT failed")
    #expect(failed.body == "The sign-in server was not reached: down.\nThis was for org.example.App.")
    #expect(failed.actions.isEmpty)
  }

  // MARK: Arguments of Notify

  private func arguments(_ update: SlotUpdates.Update, _ capabilities: NotificationCapabilities) throws -> [Variant] {
    let notification = try notification(update)
    let arguments = notification.arguments(replacing: 7, for: capabilities)
    #expect(arguments.isOfType("(susssasa{sv}i)"))
    return arguments.children
  }

  @Test func namesTheProgramAndItsIcon() throws {
    let arguments = try arguments(.needsSignIn(failure: nil), Self.everything)
    #expect(arguments[0] == "Chappie".variant)
    #expect(arguments[1] == UInt32(7).variant)
    #expect(arguments[2] == "org.chappie".variant)
    let hints: VariantDictionary = try arguments[6].value()
    #expect(hints.text("desktop-entry") == "org.chappie")
    #expect(hints.text("category") == "x-chappie.sign-in")
    #expect(hints["urgency"] == Variant(bytes: [1], type: "y"))
  }

  @Test func addsActionsIfTheServerSupportsThem() throws {
    #expect(
      try arguments(.needsSignIn(failure: nil), Self.everything)[5]
        == ["default", "Sign in", "sign-in", "Sign in"].variant)
    #expect(
      try arguments(.waiting(.showCode(Self.code)), Self.everything)[5]
        == ["default", "Open page", "open-page", "Open page"].variant)
    #expect(
      try notification(.waiting(.showCode(Self.code)), canCopy: true).arguments(replacing: 0, for: Self.everything)
        .children[5]
        == ["default", "Open page", "open-page", "Open page", "copy-code", "Copy code"].variant)
    #expect(try arguments(.linked(account: nil), Self.everything)[5] == [String]().variant)
    #expect(try arguments(.waiting(.showCode(Self.code)), Self.little)[5] == [String]().variant)
  }

  @Test func escapesMarkupIfTheServerParsesIt() throws {
    #expect(
      try String(variant: arguments(.waiting(.showCode(Self.code)), Self.little)[4])
        .hasPrefix("Code: ABCD-12345\nEnter it at https://example.org/codex/device?a=1&b=2\n"))
    #expect(
      try String(variant: arguments(.waiting(.showCode(Self.code)), Self.everything)[4])
        .hasPrefix("<b>Code: ABCD-12345</b>\nEnter it at https://example.org/codex/device?a=1&amp;b=2\n"))
    let odd = ChappieDeviceCode(userCode: "</b>&", verificationAddress: "https://example.org", expiresAtSeconds: 1)
    #expect(
      try String(variant: arguments(.waiting(.showCode(odd)), Self.everything)[4]).hasPrefix(
        "<b>Code: &lt;/b&gt;&amp;</b>\n"))
  }

  @Test func aRequestForActionDoesNotExpire() throws {
    for capabilities in [Self.everything, Self.little] {
      let code = try arguments(.waiting(.showCode(Self.code)), capabilities)
      #expect(code[7] == Int32(0).variant)
      let hints: VariantDictionary = try code[6].value()
      #expect(try hints.value("resident") == true)
      #expect(hints["transient"] == nil)
    }
    // A server without a history must keep the notification on the screen.
    #expect(try arguments(.needsSignIn(failure: nil), Self.everything)[7] == Int32(-1).variant)
    #expect(try arguments(.needsSignIn(failure: nil), Self.little)[7] == Int32(0).variant)
  }

  @Test(arguments: [SlotUpdates.Update.linked(account: nil), .failed("why")])
  func aResultIsTransientAndExpires(_ update: SlotUpdates.Update) throws {
    let arguments = try arguments(update, Self.everything)
    #expect(arguments[7] == Int32(5000).variant)
    let hints: VariantDictionary = try arguments[6].value()
    #expect(try hints.value("transient") == true)
    #expect(hints["resident"] == nil)
  }
}

extension VariantDictionary {
  fileprivate func text(_ key: String) -> String? { try? value(key) }
}
