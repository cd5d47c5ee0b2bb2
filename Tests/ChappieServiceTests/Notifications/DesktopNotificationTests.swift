// SPDX-License-Identifier: Apache-2.0
@testable import ChappieSDK
@testable import ChappieService

struct DesktopNotificationTests {
  private static let everything = NotificationCapabilities(["actions", "body", "body-markup", "persistence"])
  private static let little = NotificationCapabilities(["body"])

  private func notification(
    _ update: SlotUpdates.Update, account: String? = nil, app: String? = nil, canCopy: Bool = false
  ) throws -> DesktopNotification {
    try #require(DesktopNotification(update, of: SlotName(account: account, app: app), canCopy: canCopy))
  }

  // MARK: Texts

  @Test func anEmptyUpdateGivesNoNotification() {
    #expect(DesktopNotification(.none, of: SlotName()) == nil)
  }

  @Test func asksForANewSignIn() throws {
    let need = try notification(.needsSignIn(failure: nil))
    #expect(need.summary == "Sign in to ChatGPT again")
    #expect(need.headline == nil)
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
    let code = try notification(.waiting(.code), account: "work", app: "org.example.App")
    #expect(code.summary == "Sign in to ChatGPT")
    #expect(code.headline == "Code: ABCD-12345")
    #expect(
      code.body == """
        Enter it at https://example.org/codex/device?a=1&b=2
        This signs in account “work” of org.example.App.
        Continue only if you started this sign-in yourself.
        """)
    #expect(code.actions == [.openPage])
    #expect(try notification(.waiting(.code), canCopy: true).actions == [.openPage, .copyCode])
  }

  @Test func offersThePageWithoutItsAddress() throws {
    let page = try notification(.waiting(.page), account: "work", canCopy: true)
    #expect(page.headline == nil)
    #expect(
      page.body == """
        Continue in your browser.
        This signs in account “work”.
        The address of the page, in a terminal: chappie sign-in --account work
        Continue only if you started this sign-in yourself.
        """)
    #expect(page.actions == [.openPage])
    #expect(try !notification(.waiting(.page), app: "org.example.App").body.contains("terminal"))
  }

  @Test func reportsTheResultOfASignIn() throws {
    let linked = try notification(.linked(account: nil))
    #expect(linked.summary == "Signed in to ChatGPT")
    #expect(linked.body.isEmpty && linked.actions.isEmpty)
    #expect(try notification(.linked(account: "a@example.com")).body == "The account is a@example.com.")
    #expect(try notification(.linked(account: nil), account: "work").body == "This is for account “work”.")
    let failed = try notification(.failed("The sign-in server was not reached: down."), app: "org.example.App")
    #expect(failed.summary == "The sign-in to ChatGPT failed")
    #expect(failed.body == "The sign-in server was not reached: down.\nThis was for org.example.App.")
  }

  // MARK: Arguments of Notify

  private func arguments(
    _ update: SlotUpdates.Update, _ capabilities: NotificationCapabilities, canCopy: Bool = false
  ) throws -> [Variant] {
    let arguments = try notification(update, canCopy: canCopy).arguments(replacing: 7, for: capabilities)
    #expect(arguments.isOfType("(susssasa{sv}i)"))
    return arguments.children
  }

  @Test func namesTheProgramAndItsIcon() throws {
    let arguments = try arguments(.needsSignIn(failure: nil), Self.everything)
    #expect(arguments.prefix(3) == ["Chappie".variant, UInt32(7).variant, "org.chappie".variant])
    let hints: VariantDictionary = try arguments[6].value()
    #expect(try hints.value("desktop-entry") == "org.chappie")
    #expect(try hints.value("category") == "x-chappie.sign-in")
    #expect(hints["urgency"] == Variant(bytes: [1], type: "y"))
  }

  @Test func addsActionsIfTheServerSupportsThem() throws {
    let signIn = try arguments(.needsSignIn(failure: nil), Self.everything)[5]
    #expect(signIn == ["default", "Sign in", "sign-in", "Sign in"].variant)
    let code = try arguments(.waiting(.code), Self.everything, canCopy: true)[5]
    #expect(code == ["default", "Open page", "open-page", "Open page", "copy-code", "Copy code"].variant)
    #expect(try arguments(.linked(account: nil), Self.everything)[5] == [String]().variant)
    #expect(try arguments(.waiting(.code), Self.little)[5] == [String]().variant)
  }

  @Test func escapesMarkupIfTheServerParsesIt() throws {
    let odd = ChappieDeviceCode(
      userCode: "</b>&", verificationURI: .init(address: "https://a.example?b&c"), expiresAt: .init(unixSeconds: 1))
    for (capabilities, start) in [
      (Self.little, "Code: </b>&\nEnter it at https://a.example?b&c\n"),
      (Self.everything, "<b>Code: &lt;/b&gt;&amp;</b>\nEnter it at https://a.example?b&amp;c\n"),
    ] {
      let body = try String(variant: arguments(.waiting(.showCode(odd)), capabilities)[4])
      #expect(body.hasPrefix(start), "\(body)")
    }
  }

  @Test func aRequestForActionDoesNotExpire() throws {
    for capabilities in [Self.everything, Self.little] {
      let code = try arguments(.waiting(.code), capabilities)
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

/// A slot as people know it.
struct SlotNameTests {
  @Test func theUsersOwnAccountHasACommand() {
    #expect(SlotName().text == nil)
    #expect(SlotName().command == "chappie sign-in")
    #expect(SlotName(account: "it's $(id)").text == "account “it's $(id)”")
    #expect(SlotName(account: "it's $(id)").command == #"chappie sign-in --account 'it'\''s $(id)'"#)
    #expect(SlotName(account: "-x").command == "chappie sign-in --account '-x'")
  }

  /// No command is offered for these slots, because `chappie` cannot reach them.
  @Test func aProgramsSlotHasTheProgramsName() {
    let (app, service, group) = ("org.example.App", "com.example.tool", "TEAM.com.example.shared")
    for (name, text) in [
      (SlotName(app: app), app), (SlotName(account: "work", app: app), "account “work” of \(app)"),
      (SlotName(service: service), service), (SlotName(service: service, app: app), app),
      (SlotName(group: group), group), (SlotName(group: group, app: app), group),
    ] {
      #expect(name.text == text)
      #expect(name.command == nil)
    }
  }

  @Test func replacesInvisibleCharactersAndShortensLongNames() {
    let odd = SlotName(account: "a\u{202E}b\u{2028}c\u{200B}")
    #expect(odd.text == "account “a\u{FFFD}b\u{FFFD}c\u{FFFD}”")
    #expect(odd.command == nil)
    let long = SlotName(account: String(repeating: "x", count: 255))
    #expect(long.text == "account “\(String(repeating: "x", count: 63))…”")
    #expect(long.command == nil)
  }
}
