import ChappieSDK
import Testing

@testable import ChappieService

struct ApplicationNameTests {
  @Test func theDesktopUserIsChappie() async {
    #expect(await ApplicationName.hint(for: .desktopUser) == "Chappie")
  }

  @Test(arguments: ["org.example.Missing", "snap.missing", "../../etc/passwd"])
  func anAppWithoutADesktopFileHasItsID(_ id: String) async {
    #expect(await ApplicationName.hint(for: .sandboxed(id)) == id)
    #expect(await ApplicationName.forUser(of: id) == nil)
  }

  @Test func controlCharactersAndTheRestAreCut() {
    #expect(ApplicationName.cleaned(" Ex\u{1B}[31mam\u{202E}ple\n") == "Ex[31mample")
    #expect(ApplicationName.cleaned(String(repeating: "ä", count: 80)) == String(repeating: "ä", count: 64))
    // A character may have any number of marks.
    #expect(ApplicationName.cleaned("e" + String(repeating: "\u{301}", count: 999)).unicodeScalars.count == 64)
  }
}
