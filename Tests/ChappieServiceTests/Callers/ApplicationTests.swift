// SPDX-License-Identifier: Apache-2.0
import ChappieSDK
import GLibBridge
import Platform
import Testing

@testable import ChappieService

struct ApplicationTests {
  /// The kernel reuses process IDs; the same ID with another start time is another application.
  @Test func aProcessIsIdentifiedByItsIDAndStartTime() throws {
    let process = Application.process(id: 7, startTime: 100)
    #expect(process == .process(id: 7, startTime: 100))
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
    let app = CallerIdentity.sandboxed(try #require(AppID("org.example.App"))).denial
    #expect(app.name == "org.chappie.Error.AccessDenied")
    #expect(app.message.contains("org.example.App"))
    #expect(app.message.contains("OpenSession or OpenClient"))
    let outside = CallerIdentity.unsandboxed.denial
    #expect(outside.name == "org.chappie.Error.AccessDenied")
    #expect(outside.message.contains("OpenSession or OpenClient"))
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
