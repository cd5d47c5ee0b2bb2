// SPDX-License-Identifier: Apache-2.0
import Platform

@testable import ChappieService

struct ApplicationTests {
  /// The kernel reuses process IDs; the same ID with another start time is another application.
  @Test func aProcessIsIdentifiedByItsIDAndStartTime() throws {
    let process = Application.process(id: 7, startTime: 100)
    #expect(process != .process(id: 7, startTime: 101))
    #expect(process.kind == .unsandboxed)
    #expect(try Application.sandboxed(#require(AppID("org.example.App"))).kind == .sandboxed)
    #expect(Application.uninspectable.kind == .uninspectable)
  }

  /// A failure that is not the caller's fault is temporary: the service inspects the caller again.
  @Test func exhaustedDescriptorsAreATemporaryFailure() {
    #expect(Unidentified(FileError.exhausted).isForNow)
    #expect(Unidentified(FileError.missing).isForNow)
    #expect(!Unidentified(FileError.notPermitted).isForNow)
    #expect(!Unidentified(FileError.tooLarge(limit: 1)).isForNow)
    #expect(
      CallerIdentity.unidentified(Unidentified("is late", isForNow: true)).denial.message.contains("for the moment"))
  }
}

struct CallerIdentityTests {
  @Test func theDenialNamesTheCallerAndTheRemedy() throws {
    for identity in [CallerIdentity.sandboxed(try #require(AppID("org.example.App"))), .unsandboxed] {
      #expect(identity.denial.name == "org.chappie.Error.AccessDenied")
      #expect(identity.denial.message.contains("OpenSession or OpenClient"))
      #expect(identity.denial.message.contains("org.example.App") == (identity != .unsandboxed))
    }
    let stranger = CallerIdentity.unidentified(Unidentified("has ended")).denial
    #expect(stranger.name == "org.chappie.Error.AccessDenied")
    #expect(stranger.message.contains("the caller has ended."))
  }
}

struct ApplicationNameTests {
  @Test func theDesktopUserIsChappie() async {
    #expect(await ApplicationName.registered(ChappieConfiguration(applicationID: .desktopUser)) == "Chappie")
    #expect(ChappieApplicationID.desktopUser.named("Another") == "Chappie")
  }

  @Test(arguments: ["org.example.Missing", "snap.missing", "../../etc/passwd"])
  func anAppWithoutADesktopFileHasItsID(_ id: String) async {
    #expect(await ApplicationName.registered(ChappieConfiguration(applicationID: .sandboxed(id))) == id)
    #expect(await ApplicationName.name(of: id) == nil)
  }

  @Test(arguments: [
    "Chappie", "Chappie ", " Chappie", "Chappie\u{A0}", "Chappie\u{3164}", "Chappie\u{34F}", "Chappie\u{FE0F}",
    "Chappie\u{2800}", "\u{202E}Chappie", "Cha\u{200B}ppie\u{E0041}",
  ])
  func noNamePassesForChappie(_ name: String) throws {
    #expect(ChappieApplicationID.sandboxed("org.example.App").named(name) == "Chappie (org.example.App)")
    #expect(try ChappieApplicationID("org.example.Host").named(name) == "Chappie (org.example.Host)")
  }

  @Test func anotherLetterIsShownWithTheID() {
    #expect(ChappieApplicationID.sandboxed("org.example.App").named("Сhappie") == "Сhappie (org.example.App)")
    #expect(ChappieApplicationID.sandboxed("org.example.App").named("\u{2800}\u{3164}") == "org.example.App")
  }

  @Test func controlCharactersAndTheRestAreCut() {
    #expect(" Ex\u{1B}[31mam\u{202E}ple\n  two ".visibleName() == "Ex[31mample two")
    #expect(String(repeating: "ä", count: 80).visibleName() == String(repeating: "ä", count: 64))
    // A character may have any number of marks.
    #expect(("e" + String(repeating: "\u{301}", count: 999)).visibleName().unicodeScalars.count == 64)
  }
}

struct AppIDTests {
  /// A Flatpak cannot take the id of a snap, because a Flatpak's id has at least three parts.
  @Test(arguments: [
    "org.example.App", "io.github.some_one.App-2", "a.b.c", "org.example.App.Devel", "snap.example.App",
    "a.b." + String(repeating: "c", count: 251),
  ])
  func acceptsValidFlatpakIDs(_ id: String) {
    #expect(AppID(flatpak: id)?.text == id)
    #expect(AppID(id)?.text == id)
    #expect(AppID(id)?.description == id)
  }

  @Test(
    arguments: [
      "", "App", "org.App", ".org.example", "org..example.App", "org.example.", "org.example.9App", "org.example.Äpp",
      "org.example.App/x", "../../etc.passwd", "org.example.App\n", "org.example.App ", "org.example.App;", ":1.2.3",
      "snap.firefox", "org.example.\0App", "a.b." + String(repeating: "c", count: 252),
    ])
  func rejectsInvalidFlatpakIDs(_ text: String) {
    #expect(AppID(flatpak: text) == nil)
  }

  @Test(arguments: [
    "firefox", "0ad", "a", "some-app", "firefox_work", String(repeating: "a", count: 40) + "_1234567890",
  ])
  func acceptsValidSnapNames(_ name: String) {
    #expect(AppID(snap: name)?.text == "snap." + name)
    #expect(AppID("snap." + name) == AppID(snap: name))
  }

  @Test(
    arguments: [
      "", "Firefox", "fire/fox", "..", "fire fox", "_", "firefox_", "_work", "a_b_c", "a_B", "ä", "example.App",
      "a_12345678901", String(repeating: "a", count: 41), "firefox\0",
    ])
  func rejectsInvalidSnapNames(_ name: String) {
    #expect(AppID(snap: name) == nil)
    #expect(AppID("snap." + name) == AppID(flatpak: "snap." + name))
  }
}
